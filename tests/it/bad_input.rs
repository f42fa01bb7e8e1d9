//! Turns that are refused, and arguments that are no good.

use crate::support::{Talk, TestFlow, answers, warnings};
use picoflow::{
    TurnError,
    prelude::*,
    session::{MemoryStore, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::sync::Arc;

struct Booking;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    legs: Vec<Leg>,
}

#[derive(Deserialize, JsonSchema)]
struct Leg {
    #[schemars(range(min = 1))]
    km: u32,
}

#[tools]
impl Step for Booking {
    /// Book a trip
    #[tool(define)]
    fn book(&self, cx: &mut Cx<'_>, Args(trip): Args<Trip>) -> ToolResponse {
        let km: u32 = trip.legs.iter().map(|leg| leg.km).sum();
        cx.save_state(json!({ "km": km }));
        stay_with("booked")
    }

    /// End it
    #[tool(define)]
    fn end(&self) -> ToolResponse {
        finish("Good bye.")
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().latest("bye"), [("end", json!({}))])
        .on(Rule::new(), "Hello.")
}

async fn talk() -> Talk {
    let mut talk = Talk::new(Steps::new().add(Booking), model()).await;
    talk.say("Hi").await;
    talk
}

#[tokio::test]
async fn an_unknown_flow_is_refused() {
    let mut talk = talk().await;
    let error = talk.run(Turn::new("Nobody").message("Hi")).await.unwrap_err();
    assert!(matches!(error, TurnError::UnknownFlow { .. }), "{error}");
    assert_eq!(error.code(), "FLOW_UNKNOWN");
    assert!(error.to_string().contains("`Nobody`"), "{error}");
    talk.say("Hi").await;
}

#[tokio::test]
async fn an_unknown_session_is_refused_and_not_replaced_by_a_new_one() {
    let mut talk = talk().await;
    for id in ["nobody", "", "'; DROP TABLE session; --"] {
        let turn = talk.opening().session(id).message("Hi");
        let error = talk.run(turn).await.unwrap_err();
        assert!(matches!(error, TurnError::UnknownSession { .. }), "{error}");
        assert_eq!(error.code(), "SESSION_UNKNOWN");
    }
    assert_eq!(talk.stored().await.len(), 1);
    talk.say("Hi").await;
}

#[tokio::test]
async fn an_ended_session_is_refused_and_stays_as_it_is() {
    let mut talk = talk().await;
    assert!(talk.say("bye").await.completed);
    let error = talk.fail("Are you there?").await;
    assert!(matches!(error, TurnError::EndedSession { .. }), "{error}");
    assert_eq!(error.code(), "SESSION_ENDED");
    assert_eq!(talk.session().await.error, []);
    // A new session begins without it.
    talk.run(talk.opening().message("Hi")).await.unwrap();
}

struct OtherFlow;

impl Flow for OtherFlow {
    const ID: FlowId = FlowId::new("OtherFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Booking)
    }
}

#[tokio::test]
async fn another_flows_session_is_refused() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut talk = Talk::open(
        TestFlow::new(Steps::new().add(Booking)),
        model(),
        Arc::clone(&store),
        store,
        |engine| engine.flow(OtherFlow),
    )
    .await;
    talk.say("Hi").await;
    let turn = Turn::new("OtherFlow").session(talk.id()).message("Hi");
    let error = talk.run(turn).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_FLOW_MISMATCH");
    assert_eq!(
        error.to_string(),
        format!("Session '{}' belongs to flow 'TestFlow', not 'OtherFlow'.", talk.id())
    );
    talk.say("Hi").await;
}

#[tokio::test]
async fn an_empty_message_is_refused() {
    let mut talk = talk().await;
    for blank in ["", " ", "\n\t", "\u{3000}"] {
        let error = talk.fail(blank).await;
        assert!(matches!(error, TurnError::EmptyMessage), "{error}");
        let error = talk.run(talk.opening().message(blank)).await.unwrap_err();
        assert!(matches!(error, TurnError::EmptyMessage), "{error}");
    }
    let silent = talk.opening().session(talk.id());
    let error = talk.run(silent).await.unwrap_err();
    assert_eq!(error.code(), "MESSAGE_EMPTY");
    assert_eq!(talk.requests().len(), 1);
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_and_one_within_it_is_kept_whole() {
    let mebibyte = "é".repeat(512 * 1024);
    let mut talk = talk().await;
    let error = talk.fail(&mebibyte).await;
    assert!(
        matches!(error, TurnError::MessageTooLarge { bytes: 1_048_576, limit: 262_144 }),
        "{error}"
    );
    assert_eq!(error.code(), "MESSAGE_TOO_LARGE");
    talk.say("Hi").await;

    let limits = Limits::default().message_bytes(1_048_576);
    let flow = TestFlow::new(Steps::new().add(Booking)).limits(limits);
    let mut talk = Talk::of(flow, model()).await;
    talk.say(&mebibyte).await;
    let memory = talk.memory("Booking").await;
    assert_eq!(memory[0], format!("human: {mebibyte}"));
}

#[tokio::test]
async fn a_config_that_differs_is_refused_and_an_equal_one_is_not() {
    let mut talk = Talk::new(Steps::new().add(Booking), model()).await;
    let config = json!({ "tenant": "a", "limits": [1, 2] });
    let open = talk.opening().message("Hi").config(config.clone());
    talk.run(open).await.unwrap();
    talk.run(talk.turn("Hi").config(config)).await.unwrap();
    for other in [json!({ "tenant": "b" }), json!({}), Value::Null] {
        let error = talk.run(talk.turn("Hi").config(other)).await.unwrap_err();
        assert!(matches!(error, TurnError::ConfigMismatch { .. }), "{error}");
        assert_eq!(error.code(), "SESSION_CONFIG_MISMATCH");
    }
    talk.say("Hi").await;
}

/// What the model is told of a call with this argument text.
async fn book(text: &str) -> String {
    let model = ScriptedModel::new()
        .on_call_text(Rule::new().latest("try it"), [("book", text)])
        .on_call(Rule::new().latest("try better"), [("book", json!({ "legs": [{ "km": 5 }] }))])
        .on(Rule::new(), "Hello.");
    let mut talk = Talk::new(Steps::new().add(Booking), model).await;
    let reply = talk.say("try it").await;
    let warned = warnings(&reply).join("\n");
    assert!(warned.contains("invalid arguments for tool 'book': "), "{warned}");
    assert_eq!(reply.step, Booking::ID);
    assert_eq!(talk.state("Booking").await, Value::Null);
    let told = answers(&talk.last_request()).pop().unwrap();
    // The document holds the text, and the next good turn works.
    talk.say("try better").await;
    assert_eq!(talk.state("Booking").await, json!({ "km": 5 }));
    told
}

#[tokio::test]
async fn malformed_json_arguments_are_told_to_the_model() {
    for text in ["{\"legs\": [", "legs=1", "{'legs': []}", "\u{0}", "{\"legs\": []} trailing"] {
        let told = book(text).await;
        assert!(told.contains("malformed JSON"), "{text:?}: {told}");
    }
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn arguments_of_a_wrong_type_are_told_with_their_path() {
    for (text, path, expected) in [
        (r#"{"legs": [{"km": 1}, {"km": "far"}]}"#, "/legs/1/km", "integer"),
        (r#"{"legs": [{"km": 0}]}"#, "/legs/0/km", "minimum"),
        (r#"{"legs": [{"km": 1.5}]}"#, "/legs/0/km", "integer"),
        (r#"{"legs": 7}"#, "/legs", "array"),
        (r#"{"legs": [{}]}"#, "/legs/0", "km"),
        ("{}", "", "legs"),
        ("[1]", "", "object"),
        ("\"text\"", "", "object"),
        ("17", "", "object"),
    ] {
        let told = book(text).await;
        assert!(told.contains(path) && told.contains(expected), "{text}: {told}");
    }
}

#[tokio::test]
async fn a_number_that_fits_the_schema_but_not_the_type_is_told_with_its_path() {
    let told = book(r#"{"legs": [{"km": 99999999999}]}"#).await;
    assert!(told.contains("/legs/0/km"), "{told}");
}

#[tokio::test]
async fn a_tool_that_the_step_does_not_expose_is_answered_and_the_turn_goes_on() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("try it"), [("transfer", json!({ "x": 1 }))])
        .on(Rule::new(), "Hello.");
    let mut talk = Talk::new(Steps::new().add(Booking), model).await;
    let reply = talk.say("try it").await;
    assert_eq!(reply.text, "Hello.");
    assert_eq!(warnings(&reply), ["hallucinated tool: transfer"]);
    assert_eq!(talk.session().await.warn.len(), 1);
}

#[tokio::test]
async fn a_document_whose_current_step_is_gone_is_refused_and_kept() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let flow = TestFlow::new(Steps::new().add(Booking));
    let mut talk = Talk::on(flow, model(), Arc::clone(&store)).await;
    talk.say("Hi").await;
    let good = talk.session().await;
    for (version, step, code, part) in [
        (1, "GoneStep", "SESSION_FLOW_INVARIANT", "`GoneStep` is not in the flow"),
        (0, "Booking", "SESSION_FLOW_INVARIANT", "version 0"),
        (2, "Booking", "SESSION_NEWER", "version 2 of the document"),
    ] {
        let mut changed = good.clone();
        changed.flow.current_step = step.into();
        changed.version = version;
        store.save(&changed, good.revision).await.unwrap();
        let error = talk.fail("Hi").await;
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(part), "{error}");
    }
    store.save(&good, good.revision).await.unwrap();
    talk.say("Hi").await;
}
