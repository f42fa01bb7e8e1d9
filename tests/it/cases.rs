//! Faults that users of other conversation frameworks reported in public, and what must hold here instead.
//! The public report stands above each test.

use crate::support::{Talk, TestFlow, answers, events, lines, offered, warnings};
use picoflow::{
    Reply, TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Collects two slots, then hands over.
pub(crate) struct Triage;

#[tools]
impl Step for Triage {
    /// Hand over to the desk
    #[tool(define)]
    fn hand_over(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "handed": true }));
        go(Desk::ID).with_state(json!({ "from": "triage" }))
    }

    /// Hand over to the back office
    #[tool(define)]
    fn escalate(&self) -> ToolResponse {
        go(Back::ID)
    }

    /// Look something up
    #[tool(define)]
    fn look_up(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "looked": true }));
        stay_with("looked up by triage")
    }
}

pub(crate) struct Desk;

#[tools]
impl Step for Desk {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        if cx.context()["config"]["closed"] == true {
            return Err("the desk is closed".into());
        }
        Ok(())
    }

    /// Book
    #[tool(define)]
    fn book(&self, cx: &mut Cx<'_>, room: u32, note: Option<String>) -> ToolResponse {
        cx.save_state(json!({ "room": room, "note": note }));
        stay_with("booked")
    }
}

struct Back;

#[tools]
impl Step for Back {}

/// All three on one history.
pub(crate) fn flow() -> TestFlow {
    let steps = Steps::new()
        .add(Triage.memory("shared"))
        .add(Desk.memory("shared"))
        .add(Back.memory("shared"));
    TestFlow::new(steps)
}

fn calls(calls: &[&'static str]) -> ScriptedModel {
    let calls: Vec<_> = calls.iter().map(|&name| (name, json!({}))).collect();
    ScriptedModel::new()
        .on_call(Rule::new().step("Triage").latest("go"), calls)
        .on(Rule::new().step("Triage"), "Triage speaks.")
        .on(Rule::new().step("Desk"), "Desk speaks.")
        .on(Rule::new().step("Back"), "Back speaks.")
}

async fn run(names: &[&'static str]) -> (Talk, Reply) {
    let mut talk = Talk::of(flow(), calls(names)).await;
    let reply = talk.say("go").await;
    (talk, reply)
}

// openai-agents-js#42, beeai-framework#963, langgraph-swarm-py#83, openai-agents-python#1061
#[tokio::test]
async fn every_call_is_answered_in_the_history_of_its_step_before_the_next_step_is_asked() {
    let (mut talk, _) = run(&["look_up", "hand_over"]).await;
    assert_eq!(
        lines(&talk.last_request().messages),
        [
            "human: go",
            "ai: [look_up, hand_over]",
            "tool: looked up by triage",
            "tool: input validated"
        ]
    );
    // The stored session takes the next turn.
    assert_eq!(talk.say("And now?").await.text, "Desk speaks.");
}

// microsoft/autogen#6859, openai-agents-python#69
#[tokio::test]
async fn a_tool_that_is_seen_in_a_shared_history_is_not_offered_and_not_callable() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Triage"), [("hand_over", json!({}))])
        .on_call(Rule::new().step("Desk").latest("input validated"), [("look_up", json!({}))])
        .on(Rule::new().step("Desk").latest("does not exist"), "Sorry.");
    let mut talk = Talk::of(flow(), model).await;
    let reply = talk.say("go").await;
    assert_eq!(offered(&talk.last_request()), ["book"]);
    assert_eq!(warnings(&reply), ["hallucinated tool: look_up"]);
    let told = answers(&talk.last_request()).pop().unwrap();
    assert!(told.ends_with("The tools here are: book."), "{told}");
}

// microsoft/autogen#6859: repeats are capped.
#[tokio::test]
async fn a_model_that_insists_on_a_tool_that_is_not_there_meets_the_limit() {
    let model = ScriptedModel::new().on_call(Rule::new(), [("transfer", json!({}))]);
    let limits = Limits::default().model_rounds(4);
    let mut talk = Talk::of(flow().limits(limits), model.clone()).await;
    let error = talk.fail("go").await;
    assert!(matches!(error, TurnError::Limit { what: "model rounds", limit: 4, .. }), "{error}");
    assert_eq!(model.calls(), 4);
}

// pipecat-flows PR#87, PR#143, PR#147, pipecat#3273
#[tokio::test]
async fn there_is_one_model_call_after_all_results_however_many_calls() {
    let (talk, _) = run(&["look_up", "look_up", "look_up"]).await;
    let requests = talk.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(answers(&requests[1]), ["looked up by triage"; 3]);
}

// dograh PR#545
#[tokio::test]
async fn all_calls_of_a_reply_belong_to_the_step_that_received_it() {
    for names in [["hand_over", "look_up"], ["look_up", "hand_over"]] {
        let (talk, reply) = run(&names).await;
        assert_eq!(reply.step, Desk::ID);
        assert_eq!(talk.state("Triage").await, json!({ "handed": true, "looked": true }));
        assert_eq!(events(&reply).iter().filter(|event| event.starts_with("model")).count(), 2);
    }
}

// langgraph#6436
#[tokio::test]
async fn there_is_one_cursor_and_only_its_step_answers() {
    let (talk, reply) = run(&["hand_over"]).await;
    assert_eq!(events(&reply), ["model Triage", "tool hand_over", "Triage -> Desk", "model Desk"]);
    assert_eq!(reply.text, "Desk speaks.");
    assert_eq!(talk.session().await.flow.current_step, Desk::ID);
}

// langgraph-swarm-py#23
#[tokio::test]
async fn two_hand_overs_in_one_reply_follow_a_rule_that_is_told() {
    let (_, reply) = run(&["hand_over", "escalate"]).await;
    assert_eq!((&*reply.text, &reply.step), ("Back speaks.", &Back::ID));
    assert_eq!(warnings(&reply), ["competing transitions: Desk, Back; applied Back"]);
}

// langgraph#6455
#[tokio::test]
async fn source_state_target_state_and_the_move_are_written_together_or_not_at_all() {
    let mut talk = Talk::of(flow(), calls(&["hand_over"])).await;
    let open = talk.opening().message("hello").config(json!({ "closed": true }));
    talk.run(open).await.unwrap();
    let error = talk.fail("go").await;
    assert!(matches!(error, TurnError::Hook { hook: "on_enter", .. }), "{error}");
    assert_eq!(talk.session().await.flow.current_step, Triage::ID);
    assert_eq!(talk.state("Triage").await, Value::Null);
    assert_eq!(talk.state("Desk").await, Value::Null);

    let (talk, _) = run(&["hand_over"]).await;
    let session = talk.session().await;
    assert_eq!(session.revision, 0);
    assert_eq!(session.flow.current_step, Desk::ID);
    assert_eq!(session.state("Triage"), Some(&json!({ "handed": true })));
    assert_eq!(session.state("Desk"), Some(&json!({ "from": "triage" })));
}

// openai-agents-python#1436, #1815
#[tokio::test]
async fn after_a_hand_over_the_next_message_goes_to_the_step_that_took_over() {
    let (mut talk, _) = run(&["hand_over"]).await;
    for _ in 0..3 {
        // `go` would hand over again if it reached the first step.
        let reply = talk.say("go").await;
        assert_eq!((&*reply.text, &reply.step), ("Desk speaks.", &Desk::ID));
    }
}

// pipecat-flows#148
#[tokio::test]
async fn a_fixed_text_can_be_said_on_the_way_without_a_model_call() {
    struct Notice;

    #[tools]
    impl LogicStep for Notice {
        async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
            Ok(go(Back::ID).saying("This call is recorded."))
        }
    }

    let steps = Steps::new().add(Notice).add(Back);
    let model = calls(&[]);
    let mut talk = Talk::of(TestFlow::new(steps), model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(events(&reply), ["said This call is recorded.", "Notice -> Back", "model Back"]);
}

// rig#1536, #1477, PR#1954
#[tokio::test]
async fn a_handler_gets_the_sessions_values_through_the_real_loop() {
    struct Account;

    #[tools]
    impl Step for Account {
        /// Show the account
        #[tool(define)]
        fn account(&self, cx: &mut Cx<'_>, call: &ToolCall) -> ToolResponse {
            let user = cx.context()["config"]["user"].as_str().unwrap_or("nobody");
            stay_with(format!("{user} in {} by {}", cx.session_id(), call.name()))
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("account?"), [("account", json!({}))])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Account), model).await;
    let open = talk.opening().message("account?").config(json!({ "user": "Ann" }));
    talk.run(open).await.unwrap();
    talk.say("account?").await;
    let told = format!("Ann in {} by account", talk.id());
    assert_eq!(answers(&talk.last_request()), [told.clone(), told]);
    // The model never sees it as an argument.
    assert_eq!(talk.last_request().tools[0].schema()["properties"], json!({}));
}

// swiftide PR#790, PR#799, PR#628, PR#612
#[tokio::test]
async fn each_call_is_in_the_next_request_exactly_once_also_a_failed_one() {
    let model = ScriptedModel::new()
        .on_call(
            Rule::new().latest("go"),
            [("look_up", json!({})), ("nobody", json!({})), ("hand_over", json!({}))],
        )
        .on(Rule::new(), "Done.");
    let mut talk = Talk::of(flow(), model).await;
    talk.say("go").await;
    talk.say("and").await;
    for request in &talk.requests()[1..] {
        let lines = lines(&request.messages);
        let calls = lines.iter().filter(|line| line.contains("look_up, nobody, hand_over"));
        assert_eq!(calls.count(), 1, "{lines:?}");
        let answered = lines.iter().filter(|line| line.starts_with("tool: "));
        assert_eq!(answered.count(), 3, "{lines:?}");
    }
}
