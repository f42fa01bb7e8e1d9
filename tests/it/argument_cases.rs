//! The same for the arguments that models send: public reports, and what must hold here instead.

use crate::{
    cases::flow,
    support::{Talk, answers, warnings},
};
use picoflow::{
    Reply,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// One call of `book` with this argument text, then a text.
async fn book(text: &str) -> (Talk, Reply, Vec<String>) {
    let model = ScriptedModel::new()
        .on_call_text(Rule::new().times(1), [("book", text)])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::of(flow().initial("Desk"), model).await;
    let reply = talk.say("Book").await;
    let told = answers(&talk.last_request());
    (talk, reply, told)
}

// rig#1802, PR#1814, awaken PR#59, jcode#225
#[tokio::test]
async fn null_for_no_arguments_is_no_arguments() {
    for text in ["null", "", " ", "{}"] {
        let model = ScriptedModel::new()
            .on_call_text(Rule::new().times(1), [("look_up", text)])
            .on(Rule::new(), "Done.");
        let mut talk = Talk::of(flow(), model).await;
        talk.say("Look").await;
        let told = answers(&talk.last_request());
        assert_eq!(told, ["looked up by triage"], "{text:?}");
        // Required fields are still required.
        let (talk, _, told) = book(text).await;
        assert!(told[0].contains("room"), "{text:?}: {told:?}");
        assert_eq!(talk.state("Desk").await, Value::Null);
    }
}

// luckenco/rsai#68: an explicit null for an optional field.
#[tokio::test]
async fn null_for_an_optional_field_is_accepted() {
    let (talk, _, told) = book(r#"{"room": 7, "note": null}"#).await;
    assert_eq!(told, ["booked"]);
    assert_eq!(talk.state("Desk").await, json!({ "room": 7, "note": null }));
}

// modelcontextprotocol/rust-sdk#840, PR#894
#[cfg(feature = "validate")]
#[tokio::test]
async fn wrong_arguments_are_told_to_the_model_which_may_correct_them() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Book"), [("book", json!({ "room": "seven" }))])
        .on_call(
            Rule::new().latest("Invalid arguments for tool 'book'"),
            [("book", json!({ "room": 7 }))],
        )
        .on(Rule::new().latest("booked"), "Room 7.");
    let mut talk = Talk::of(flow().initial("Desk"), model).await;
    let reply = talk.say("Book").await;
    assert_eq!(reply.text, "Room 7.");
    assert_eq!(talk.state("Desk").await["room"], 7);
    let told = answers(&talk.last_request());
    assert!(told[0].contains("/room") && told[0].contains("integer"), "{told:?}");
    let warned = warnings(&reply);
    assert!(warned[0].starts_with("invalid arguments for tool 'book'"), "{warned:?}");
}

// swiftide PR#560
#[tokio::test]
async fn json_in_a_json_string_is_repaired_once_with_a_warning() {
    let (talk, reply, told) = book(r#""{\"room\": 7}""#).await;
    assert_eq!(told, ["booked"]);
    assert_eq!(talk.state("Desk").await["room"], 7);
    assert_eq!(warnings(&reply), ["repaired arguments of tool 'book': JSON in a JSON string"]);
    // What is stored is what ran.
    let session = talk.session().await;
    let messages = session.flow.memory["shared"].conversation();
    assert_eq!(messages[1].tool_calls()[0].arguments(), r#"{"room":7}"#);
}

// aisdk
#[tokio::test]
async fn a_value_of_a_wrong_type_never_becomes_a_default() {
    struct Counter;

    #[tools]
    impl Step for Counter {
        /// Count
        #[tool(define)]
        fn count(
            &self,
            cx: &mut Cx<'_>,
            #[serde(default)] from: u32,
            step: Option<u32>,
        ) -> ToolResponse {
            cx.save_state(json!({ "from": from, "step": step }));
            stay_with("counted")
        }
    }

    for (arguments, expected) in [
        (json!({}), Some(json!({ "from": 0, "step": null }))),
        (json!({ "from": 3 }), Some(json!({ "from": 3, "step": null }))),
        (json!({ "from": "three" }), None),
        (json!({ "from": -1 }), None),
        // `null` says nothing, which is what the default is for.
        (json!({ "from": null, "step": null }), Some(json!({ "from": 0, "step": null }))),
        (json!({ "from": {} }), None),
        (json!({ "step": "two" }), None),
        (json!({ "step": [] }), None),
    ] {
        let model = ScriptedModel::new()
            .on_call(Rule::new().times(1), [("count", arguments.clone())])
            .on(Rule::new(), "Done.");
        let mut talk = Talk::new(Steps::new().add(Counter), model).await;
        talk.say("Count").await;
        let state = talk.state("Counter").await;
        assert_eq!(state, expected.unwrap_or_default(), "{arguments}");
    }
}
