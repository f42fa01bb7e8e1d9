//! Handlers that err, panic or take too long.

use crate::support::{Talk, TestFlow, answers, lines};
use picoflow::{
    Reply, TurnError,
    prelude::*,
    session::ToolStatus,
    testing::{Rule, ScriptedModel},
};
use std::{future::pending, io, time::Duration};

const SECRET: &str = "postgres://admin:hunter2@db";

/// Each tool writes, then fails in its own way.
struct Fragile;

#[tools]
impl Step for Fragile {
    /// Fail for an internal reason
    #[tool(define)]
    fn internal(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, io::Error> {
        write(cx);
        Err(io::Error::other(SECRET))
    }

    /// Tell the model what is wrong
    #[tool(define)]
    fn feedback(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        write(cx);
        Err(ToolError::feedback("The desk is closed on Sundays."))
    }

    /// Fail the turn
    #[tool(define)]
    fn abort(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        write(cx);
        Err(ToolError::abort("the database is gone"))
    }

    /// Panic
    #[tool(define)]
    fn burst(&self, cx: &mut Cx<'_>) -> ToolResponse {
        write(cx);
        panic!("{SECRET}")
    }

    /// Never end
    #[tool(define)]
    async fn hang(&self, cx: &mut Cx<'_>) -> ToolResponse {
        write(cx);
        pending().await
    }

    /// Give the context a state that is none
    #[tool(define)]
    fn misuse(&self, cx: &mut Cx<'_>) -> ToolResponse {
        write(cx);
        cx.save_state([1, 2]);
        stay()
    }

    /// Do it right
    #[tool(define)]
    fn good(&self, cx: &mut Cx<'_>) -> ToolResponse {
        write(cx);
        stay_with("well done")
    }
}

fn write(cx: &mut Cx<'_>) {
    let count = cx.state()["count"].as_u64().unwrap_or(0);
    cx.save_state(json!({ "count": count + 1 }));
    cx.mark_completed();
    cx.log("wrote");
}

/// The user's words are the tools to call.
async fn talk() -> Talk {
    let model = ScriptedModel::new().on(Rule::new().latest("Hi"), "Hello.").answer(
        Rule::new(),
        |request| {
            let latest = request.latest().unwrap();
            if !latest.is_human() {
                return Ok(ModelReply::text("Done."));
            }
            let tools = latest.content.split(' ').enumerate();
            let call = |(i, tool): (usize, &str)| ToolCall::new(i.to_string(), tool, &json!({}));
            Ok(ModelReply::calls(tools.map(call)))
        },
    );
    let limits = Limits::default().tool_timeout(Duration::from_secs(7));
    let flow = TestFlow::new(Steps::new().add(Fragile)).limits(limits);
    let mut talk = Talk::of(flow, model).await;
    talk.say("Hi").await;
    talk
}

/// A handler that failed for an internal reason.
async fn check_internal(talk: &Talk, reply: &Reply, reason: &str) {
    assert_eq!(reply.text, "Done.");
    assert!(!reply.completed);
    assert_eq!(talk.state("Fragile").await, Value::Null);
    let told = answers(&talk.last_request()).pop().unwrap();
    assert_eq!(told, "The tool failed for an internal reason. Do not assume that it did anything.");
    for request in talk.requests() {
        let lines = lines(&request.messages).join("\n");
        assert!(!lines.contains(SECRET), "{lines}");
    }
    let session = talk.session().await;
    let entry = session.error.last().unwrap();
    assert!(entry.message.contains(reason), "{}", entry.message);
    assert_eq!(entry.extra["step"], "Fragile");
    let last = &session.flow.memory["Fragile"].conversation();
    let answer = serde_json::to_value(&*last[last.len() - 2]).unwrap();
    assert_eq!(answer["status"], json!(ToolStatus::Error));
}

async fn check_next(mut talk: Talk, count: u64) {
    assert!(talk.say("good").await.completed);
    assert_eq!(talk.state("Fragile").await, json!({ "count": count }));
}

#[tokio::test]
async fn an_internal_error_never_reaches_the_model_and_its_writes_are_undone() {
    let mut talk = talk().await;
    let reply = talk.say("internal").await;
    check_internal(&talk, &reply, SECRET).await;
    check_next(talk, 1).await;
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_internal_error() {
    let mut talk = talk().await;
    let reply = talk.say("burst").await;
    check_internal(&talk, &reply, &format!("panicked: {SECRET}")).await;
    check_next(talk, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_an_internal_error() {
    let mut talk = talk().await;
    let reply = talk.say("hang").await;
    check_internal(&talk, &reply, "took longer than 7s").await;
    check_next(talk, 1).await;
}

#[tokio::test]
async fn a_failed_handler_undoes_only_itself() {
    let mut talk = talk().await;
    talk.say("good internal burst good").await;
    assert_eq!(talk.state("Fragile").await, json!({ "count": 2 }));
    let told = answers(&talk.last_request());
    assert_eq!((&*told[0], &*told[3]), ("well done", "well done"));
    assert_eq!(talk.session().await.error.len(), 2);
}

#[tokio::test]
async fn feedback_is_told_word_for_word_and_keeps_what_the_handler_wrote() {
    let mut talk = talk().await;
    let reply = talk.say("feedback").await;
    assert_eq!(answers(&talk.last_request()), ["The desk is closed on Sundays."]);
    assert_eq!(talk.state("Fragile").await, json!({ "count": 1 }));
    assert!(reply.completed);
    assert_eq!(talk.session().await.error, []);
}

#[tokio::test]
async fn an_abort_fails_the_turn_and_names_step_and_tool() {
    let mut talk = talk().await;
    let error = talk.fail("good abort").await;
    let TurnError::Aborted { step, tool, source } = &error else {
        panic!("{error}");
    };
    assert_eq!((step, &**tool), (&Fragile::ID, "abort"));
    assert_eq!(source.to_string(), "the database is gone");
    assert_eq!(talk.session().await.error[0].extra["code"], "TOOL_ABORTED");
    assert_eq!(talk.session().await.log, []);
    check_next(talk, 1).await;
}

#[tokio::test]
async fn a_misuse_of_the_context_fails_the_turn_and_names_the_method() {
    let mut talk = talk().await;
    let error = talk.fail("misuse").await;
    let TurnError::Misuse { step, reason } = &error else {
        panic!("{error}");
    };
    assert_eq!(*step, Fragile::ID);
    assert_eq!(error.code(), "STEP_MISUSE");
    assert!(reason.contains("`save_state` takes an object"), "{reason}");
    check_next(talk, 1).await;
}

#[tokio::test]
async fn a_model_that_calls_the_same_tool_for_ever_meets_the_limit() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new(), [("good", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Fragile), model).await;
    talk.say("Hi").await;
    let error = talk.fail("good").await;
    assert!(
        matches!(&error, TurnError::Limit { step, what: "model rounds", limit: 16 } if *step == Fragile::ID),
        "{error}"
    );
    assert_eq!(error.code(), "TURN_LIMIT");
    assert_eq!(talk.requests().len(), 17);
    talk.say("Hi").await;
}

#[tokio::test]
async fn steps_that_send_each_other_on_for_ever_meet_the_limit_of_transitions() {
    struct Ping;

    #[tools]
    impl Step for Ping {
        async fn on_response(&self, _cx: &mut Cx<'_>, _: ModelOutput) -> HookResult<StepResponse> {
            Ok(go(Pong::ID))
        }
    }

    struct Pong;

    #[tools]
    impl Step for Pong {
        async fn on_response(&self, _cx: &mut Cx<'_>, _: ModelOutput) -> HookResult<StepResponse> {
            Ok(go(Ping::ID))
        }
    }

    let model = ScriptedModel::new().on(Rule::new(), "On.");
    let limits = Limits::default().transitions(6);
    let flow = TestFlow::new(Steps::new().add(Ping).add(Pong)).limits(limits);
    let mut talk = Talk::of(flow, model).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::Limit { what: "transitions", limit: 6, .. }), "{error}");
    assert_eq!(talk.stored().await, []);
}
