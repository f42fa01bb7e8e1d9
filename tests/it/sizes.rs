//! What is large: results, replies, documents.

use crate::support::{Talk, TestFlow, answers, warnings};
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

const MIB: usize = 1024 * 1024;

struct Reads;

#[tools]
impl Step for Reads {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Read.".into()
    }

    /// Read this many bytes
    #[tool(define)]
    fn read(&self, bytes: usize) -> ToolResponse {
        stay_with("x".repeat(bytes))
    }

    /// Fail with this many bytes
    #[tool(define)]
    fn fail(&self, bytes: usize) -> Result<ToolResponse, ToolError> {
        Err(ToolError::feedback("x".repeat(bytes)))
    }

    #[tools(["read", "fail"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay_with("x".repeat(10 * MIB))
    }
}

/// Makes these calls on the first message, then says `done`.
fn calls(calls: &[(&'static str, usize)]) -> ScriptedModel {
    let calls: Vec<_> =
        calls.iter().map(|&(name, bytes)| (name, json!({ "bytes": bytes }))).collect();
    ScriptedModel::new().on_call(Rule::new().latest("go"), calls).on(Rule::new(), "done")
}

#[tokio::test]
async fn a_result_over_the_limit_is_not_passed_on_and_the_model_is_told_its_size() {
    let made: [&[(&str, usize)]; 4] = [
        &[("read", 10 * MIB)],
        &[("fail", 10 * MIB)],
        &[("read", MIB + 1)],
        &[("read", 1), ("fail", 1)],
    ];
    for made in made {
        let mut talk = Talk::new(Steps::new().add(Reads), calls(made)).await;
        let reply = talk.say("go").await;
        assert_eq!(reply.text, "done");
        let told = answers(&talk.last_request());
        assert_eq!(told.len(), made.len());
        for (told, (name, bytes)) in told.iter().zip(made) {
            let bytes = if made.len() > 1 { 10 * MIB } else { *bytes };
            let expected = format!(
                "The result of tool '{name}' has {bytes} bytes, and {MIB} is the most that can be passed on. Ask for less."
            );
            assert_eq!(*told, expected);
        }
        assert!(warnings(&reply)[0].ends_with("the limit is 1048576"));
        let document = serde_json::to_string(&talk.session().await).unwrap();
        assert!(document.len() < 10_000);
    }
}

#[tokio::test]
async fn a_result_of_exactly_the_limit_is_passed_on() {
    let mut talk = Talk::new(Steps::new().add(Reads), calls(&[("read", MIB)])).await;
    talk.say("go").await;
    assert_eq!(answers(&talk.last_request())[0].len(), MIB);
}

#[tokio::test]
async fn a_step_has_a_limit_of_its_own_for_results() {
    struct Small(Reads);

    #[tools]
    impl Step for Small {
        fn base(&self) -> Option<&dyn AnyStep> {
            Some(&self.0)
        }

        fn limits(&self, inherited: Limits) -> Limits {
            inherited.result_bytes(10)
        }
    }

    let mut talk = Talk::new(Steps::new().add(Small(Reads)), calls(&[("read", 11)])).await;
    talk.say("go").await;
    assert!(answers(&talk.last_request())[0].contains("has 11 bytes, and 10 is the most"));
}

#[tokio::test]
async fn a_reply_of_a_mebibyte_and_one_of_256_calls_are_taken() {
    let text = "é".repeat(MIB / 2);
    let model = calls(&[("read", 3); 256]).on(Rule::new(), "never");
    let mut talk = Talk::new(Steps::new().add(Reads), model).await;
    let reply = talk.say("go").await;
    assert_eq!(reply.tools().count(), 256);
    assert_eq!(answers(&talk.last_request()), ["xxx"; 256]);

    let mut talk =
        Talk::new(Steps::new().add(Reads), ScriptedModel::new().on(Rule::new(), &*text)).await;
    assert_eq!(talk.say("Hi").await.text, text);
    assert_eq!(talk.memory("Reads").await[1], format!("ai: {text}"));
}

fn small(bytes: usize) -> TestFlow {
    TestFlow::new(Steps::new().add(Reads)).limits(Limits::default().document_bytes(bytes))
}

/// Says `no` to whoever asks.
fn no() -> ScriptedModel {
    ScriptedModel::new().on(Rule::new(), "no")
}

#[tokio::test]
async fn a_turn_that_would_make_the_document_too_large_fails_and_the_session_stays_as_it_was() {
    let mut talk = Talk::of(small(20_000), no()).await;
    talk.say("Hi").await;
    let text = "\u{1}".repeat(1_000);
    let error = loop {
        let turn = talk.turn(&text);
        match talk.run(turn).await {
            Ok(_) => assert!(serde_json::to_string(&talk.session().await).unwrap().len() <= 20_000),
            Err(error) => break error,
        }
    };
    let TurnError::SessionTooLarge { session, bytes, limit: 20_000 } = &error else {
        panic!("{error}")
    };
    assert_eq!(session, talk.id());
    assert!((20_001..27_000).contains(bytes), "{bytes}");
    assert_eq!(error.code(), "SESSION_TOO_LARGE");
    assert!(error.to_string().contains("`Limits::document_bytes`"), "{error}");
    // `Talk` has compared the stored session with what it was.
}

#[tokio::test]
async fn a_document_of_exactly_the_limit_is_stored() {
    let mut talk = Talk::of(small(0), no()).await;
    let error = talk.fail("Hi").await;
    let TurnError::SessionTooLarge { bytes, .. } = error else { panic!("{error}") };
    assert!(talk.stored().await.is_empty());
    let mut talk = Talk::of(small(bytes), no()).await;
    talk.say("Hi").await;
    assert_eq!(serde_json::to_string(&talk.session().await).unwrap().len(), bytes);
    let mut talk = Talk::of(small(bytes - 1), no()).await;
    talk.fail("Hi").await;
}
