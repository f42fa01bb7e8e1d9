//! Steps that decide without a model.

use crate::support::{Talk, TestFlow, events};
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Where each logic step of a test goes; the last one is `Ask`.
struct First;

#[tools]
impl LogicStep for First {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Second::ID).with_state(json!({ "trail": ["first"] })))
    }
}

struct Second;

#[tools]
impl LogicStep for Second {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let trail = cx.state()["trail"].clone();
        Ok(go(Ask::ID)
            .with_state(json!({ "trail": trail }))
            .with_prompt("Prompt of logic.")
            .saying("One moment."))
    }
}

struct Ask;

#[tools]
impl Step for Ask {
    /// Go through the logic again
    #[tool(define)]
    fn again(&self) -> ToolResponse {
        go(First::ID)
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().latest("again"), [("again", json!({}))])
        .on(Rule::new(), "Asked.")
}

fn steps() -> Steps {
    Steps::new().add(Ask).add(First).add(Second)
}

#[tokio::test]
async fn logic_steps_chain_in_one_turn_without_a_model_call() {
    let mut talk = Talk::new(steps(), model()).await;
    talk.say("Hi").await;
    let reply = talk.say("again").await;
    assert_eq!(
        events(&reply),
        [
            "model Ask",
            "tool again",
            "Ask -> First",
            "First -> Second",
            "said One moment.",
            "Second -> Ask",
            "model Ask",
        ]
    );
    assert_eq!(talk.state("Ask").await["trail"], json!(["first"]));
    assert_eq!(talk.last_request().prompt(), "Prompt of logic.");
    let sequence: Vec<_> = talk.session().await.flow.sequence;
    let names: Vec<_> = sequence.iter().map(|entry| entry.step_name.as_str()).collect();
    assert_eq!(names, ["Ask", "First", "Second", "Ask"]);
}

#[tokio::test]
async fn a_session_that_begins_with_logic_hands_the_users_text_on() {
    let mut talk = Talk::of(TestFlow::new(steps()).initial("First"), model()).await;
    let reply = talk.say("Good morning").await;
    assert_eq!(reply.step, Ask::ID);
    assert_eq!(talk.memory("Ask").await, ["human: Good morning", "ai: Asked."]);
}

#[tokio::test]
async fn a_session_that_begins_with_logic_and_no_text_opens_with_a_word() {
    let mut talk = Talk::of(TestFlow::new(steps()).initial("First"), model()).await;
    talk.run(talk.opening()).await.unwrap();
    assert_eq!(talk.memory("Ask").await, ["human: Start", "ai: Asked."]);
}

/// Does what its configuration says.
struct Decides;

#[tools]
impl LogicStep for Decides {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(match cx.context()["config"].as_str() {
            Some("text") => "Logic speaks.".into(),
            Some("finish") => finish("Logic ends it."),
            Some("direct_to") => direct_to(Ask::ID, "Logic hands over."),
            Some("self") => go(Self::ID),
            Some("loop") => go(Back::ID),
            _ => go(Ask::ID).with_message("Logic forwards."),
        })
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.save_state(json!({ "entered": true }));
        Ok(())
    }
}

struct Back;

#[tools]
impl LogicStep for Back {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Decides::ID))
    }
}

async fn decide(config: &str) -> (Talk, Result<picoflow::Reply, TurnError>) {
    let steps = Steps::new().add(Decides).add(Back).add(Ask);
    let flow = TestFlow::new(steps).limits(Limits::default().transitions(5));
    let mut talk = Talk::of(flow, model()).await;
    let turn = talk.opening().message("Hi").config(config);
    let result = talk.run(turn).await;
    (talk, result)
}

#[tokio::test]
async fn a_logic_step_may_speak_and_keep_the_cursor() {
    let (mut talk, reply) = decide("text").await;
    let reply = reply.unwrap();
    assert_eq!((&*reply.text, &reply.step), ("Logic speaks.", &Decides::ID));
    assert_eq!(talk.requests().len(), 0);
    assert_eq!(talk.state("Decides").await, json!({ "entered": true }));
    // The next turn runs it again.
    assert_eq!(talk.say("And?").await.text, "Logic speaks.");
}

#[tokio::test]
async fn a_logic_step_may_end_the_session_or_speak_for_another_step() {
    let (_, reply) = decide("finish").await;
    let reply = reply.unwrap();
    assert_eq!((&*reply.text, reply.completed), ("Logic ends it.", true));
    let (mut talk, reply) = decide("direct_to").await;
    let reply = reply.unwrap();
    assert_eq!((&*reply.text, &reply.step), ("Logic hands over.", &Ask::ID));
    assert_eq!(talk.memory("Ask").await, ["ai: Logic hands over."]);
    assert_eq!(talk.say("Thanks").await.text, "Asked.");
}

#[tokio::test]
async fn a_message_of_logic_comes_before_the_users_text() {
    let (talk, reply) = decide("forward").await;
    reply.unwrap();
    assert_eq!(talk.memory("Ask").await, ["human: Logic forwards.", "human: Hi", "ai: Asked."]);
}

#[tokio::test]
async fn a_logic_step_that_goes_to_itself_is_an_error() {
    let (talk, error) = decide("self").await;
    let error = error.unwrap_err();
    assert!(matches!(error, TurnError::Misuse { .. }), "{error}");
    assert!(error.to_string().contains("step `Decides`"), "{error}");
    assert_eq!(talk.stored().await, []);
}

#[tokio::test]
async fn logic_steps_in_a_circle_meet_the_limit_of_transitions() {
    let (_, error) = decide("loop").await;
    let error = error.unwrap_err();
    assert!(matches!(error, TurnError::Limit { what: "transitions", limit: 5, .. }), "{error}");
}

#[tokio::test]
async fn a_logic_step_cannot_be_a_child() {
    struct Parent;

    #[tools]
    impl Step for Parent {
        /// Run logic as a child
        #[tool(define)]
        async fn run(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
            cx.run_step(Back::ID, None).await?;
            Ok(stay())
        }
    }

    let model = ScriptedModel::new().on_call(Rule::new(), [("run", json!({}))]);
    let steps = Steps::new().add(Parent).add(Back).add(Decides).add(Ask);
    let mut talk = Talk::new(steps, model).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::Misuse { .. }), "{error}");
    assert!(error.to_string().contains("`Back`"), "{error}");
}

#[tokio::test]
async fn transitions_are_counted_anew_in_each_turn() {
    let flow = TestFlow::new(steps()).limits(Limits::default().transitions(3));
    let mut talk = Talk::of(flow, model()).await;
    for _ in 0..3 {
        assert_eq!(talk.say("again").await.text, "Asked.");
    }
}
