//! What a session's document holds.

use crate::{
    sessions::{flow, notes},
    support::{Talk, TestFlow},
};
use picoflow::{
    SqliteStore,
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::sync::Arc;
use tempfile::TempDir;

#[tokio::test]
async fn every_unicode_plane_and_every_text_that_looks_like_a_date_is_kept() {
    let said = "\u{0}\u{7f}'\"\\é\u{300}\u{ffff}\u{1f600}\u{20000}\u{e0001}\u{10ffff} 2026-02-11T09:14:02.113Z";
    let directory = TempDir::new().unwrap();
    let sqlite = SqliteStore::open(directory.path().join("s.sqlite")).await;
    let stores: [Arc<dyn SessionStore>; 2] =
        [Arc::new(MemoryStore::new()), Arc::new(sqlite.unwrap())];
    for store in stores {
        store.prepare().await.unwrap();
        let mut talk = Talk::on(flow(), notes(), store).await;
        talk.say(said).await;
        talk.say(said).await;
        assert_eq!(talk.state("Notes").await, json!({ "notes": [said, said] }));
        assert_eq!(talk.memory("Notes").await[0], format!("human: {said}"));
    }
}

fn keys(value: &Value) -> String {
    let keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
    keys.join(" ")
}

struct Warns;

#[tools]
impl Step for Warns {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Warn.".into()
    }

    /// Warn
    #[tool(define)]
    fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.warn("careful");
        cx.log("for the record");
        cx.save_state(json!({ "key": 1 }));
        direct("Warned.")
    }
}

/// A document with something in most of its places.
async fn document() -> Value {
    let model = ScriptedModel::new().on_call(Rule::new(), [("act", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Warns), model).await;
    let open = talk.opening().message("Hi").config(json!({ "a": 1 }));
    talk.run(open).await.unwrap();
    let session = talk.session().await;
    let document = serde_json::to_value(&session).unwrap();
    // It is read back as it was.
    let back: Session = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(back, session);
    document
}

#[tokio::test]
async fn the_document_has_the_field_names_of_the_reference() {
    let document = document().await;
    let top = "id revision version runStatus createdOn saveOn turns tokens log warn flow";
    assert_eq!(keys(&document), top);
    assert_eq!(document["runStatus"], "running");
    assert_eq!(
        keys(&document["tokens"]),
        "inputTokens outputTokens totalTokens reasoningTokens visibleOutputTokens cachedInputTokens cacheCreationInputTokens"
    );
    let flow = &document["flow"];
    assert_eq!(keys(flow), "name version model context currentStep sequence steps memory");
    assert_eq!(flow["model"], json!({ "provider": "test", "name": "script" }));
    assert_eq!(flow["context"], json!({ "config": { "a": 1 } }));
    assert_eq!(flow["sequence"], json!([{ "level": 1, "stepName": "Warns" }]));
    assert_eq!(flow["steps"], json!([{ "name": "Warns", "state": { "key": 1 } }]));
    for (list, text) in [("warn", "careful"), ("log", "for the record")] {
        let entry = &document[list][0];
        assert_eq!(keys(entry), "timestamp level message step");
        assert_eq!(entry["level"], list);
        assert_eq!(entry["message"], text);
    }
}

#[tokio::test]
async fn messages_have_the_field_names_of_the_reference() {
    let document = document().await;
    let messages = document["flow"]["memory"]["Warns"]["messages"].as_array();
    let [system, human, ai, tool, direct] = &messages.unwrap()[..] else {
        panic!("{messages:?}");
    };
    assert_eq!(keys(system), "id type content timestamp");
    assert_eq!(keys(human), "id type content timestamp");
    assert_eq!(keys(ai), "id type content timestamp tool_calls");
    assert_eq!(ai["tool_calls"], json!([{ "name": "act", "args": {}, "id": "call_1" }]));
    assert_eq!(keys(tool), "id type content timestamp name tool_call_id status");
    assert_eq!(tool["tool_call_id"], "call_1");
    assert_eq!(tool["status"], "success");
    assert_eq!(direct["additional_kwargs"], json!({ "direct": true }));
    let id = human["id"].as_str().unwrap();
    let [step, time, number] = *id.split('|').collect::<Vec<_>>() else {
        panic!("{id}");
    };
    assert_eq!((step, time), ("Warns", human["timestamp"].as_str().unwrap()));
    assert!(number.len() == 10 && number.bytes().all(|c| c.is_ascii_digit()), "{id}");
}

#[tokio::test]
async fn tokens_of_all_turns_add_up() {
    let mut talk = Talk::of(flow(), ScriptedModel::new().on(Rule::new(), "Hello.")).await;
    let reply = talk.say("Hi").await;
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (10, 5));
    talk.say("Hi").await;
    let tokens = talk.session().await.tokens;
    assert_eq!((tokens.input_tokens, tokens.total_tokens), (20, 30));
}

#[tokio::test]
async fn the_lists_of_a_session_keep_the_newest_entries() {
    struct Chatty;

    #[tools]
    impl Step for Chatty {
        /// Log a lot
        #[tool(define)]
        fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
            for number in 0..250 {
                cx.log(number.to_string());
            }
            direct("Logged.")
        }
    }

    let model = ScriptedModel::new().on_call(Rule::new(), [("act", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Chatty), model).await;
    talk.say("Hi").await;
    let log = talk.session().await.log;
    assert!(log.len() < 250);
    assert_eq!(log.last().unwrap().message, "249");
}

#[tokio::test]
async fn a_session_keeps_the_states_of_steps_that_are_gone() {
    struct Later;

    #[tools]
    impl Step for Later {}

    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut talk = Talk::on(flow(), notes(), Arc::clone(&store)).await;
    talk.say("Hi").await;
    let mut session = talk.session().await;
    session.flow.current_step = Later::ID;
    store.save(&session, session.revision).await.unwrap();
    // A later version of the flow has other steps.
    let later = TestFlow::new(Steps::new().add(Later));
    let model = ScriptedModel::new().on(Rule::new(), "Later.");
    let mut later = Talk::open(later, model, Arc::clone(&store), store, |e| e).await;
    let turn = later.opening().session(talk.id()).message("Hi");
    later.run(turn).await.unwrap();
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi"] }));
}

/// Keeps whatever it is given.
struct Keeps;

#[tools]
impl Step for Keeps {
    /// Look at it
    #[tool(define)]
    fn look(&self, Args(_all): Args<Value>) -> ToolResponse {
        stay_with("looked")
    }

    /// Keep it
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, Args(all): Args<Value>) -> ToolResponse {
        cx.save_state(json!({ "kept": all }));
        stay_with("kept")
    }
}

/// Whatever argument text a model sends, the session is one that the store can read again.
async fn check_arguments(tool: &'static str, text: &str) {
    let directory = TempDir::new().unwrap();
    let store = SqliteStore::open(directory.path().join("s.sqlite")).await;
    let store: Arc<dyn SessionStore> = Arc::new(store.unwrap());
    store.prepare().await.unwrap();
    let model = ScriptedModel::new()
        .on_call_text(Rule::new().latest("try it"), [(tool, text)])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::on(TestFlow::new(Steps::new().add(Keeps)), model, store).await;
    talk.say("Hi").await;
    // Whether it is refused or not is another matter.
    let _result = talk.run(talk.turn("try it")).await;
    talk.say("Hi").await;
}

#[tokio::test]
async fn numbers_out_of_range_do_not_spoil_the_session() {
    for tool in ["look", "keep"] {
        check_arguments(tool, r#"{"a": 1e999}"#).await;
        check_arguments(tool, r#"{"a": -123456789012345678901234567890}"#).await;
    }
}

#[tokio::test]
async fn half_of_a_surrogate_pair_does_not_spoil_the_session() {
    check_arguments("look", r#"{"a": "\ud800"}"#).await;
}

async fn check_nested(tool: &'static str) {
    for depth in [100, 115, 120, 125, 200, 1000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        check_arguments(tool, &format!(r#"{{"a": {nested}}}"#)).await;
    }
}

#[tokio::test]
async fn arguments_that_nest_too_deeply_do_not_spoil_the_session() {
    check_nested("look").await;
}

#[tokio::test]
async fn a_state_that_nests_too_deeply_does_not_spoil_the_session() {
    check_nested("keep").await;
}

#[tokio::test]
async fn other_odd_arguments_do_not_spoil_the_session() {
    for text in [r#"{"a": 1, "a": 2}"#, "\u{feff}{}", "{\"a\": \"\u{0}\"}", "NaN", "\"text\"", "["]
    {
        check_arguments("look", text).await;
    }
}

#[test]
fn a_call_is_read_back_as_it_was() {
    for text in [
        r#"{"a":1}"#,
        r#""text""#,
        r#""{\"a\":1}""#,
        "text",
        "",
        "null",
        "[1,2]",
        "1.0",
        "1e2",
        "123456789012345678901234567890",
    ] {
        let call = ToolCall::from_text("1", "t", text);
        let document = serde_json::to_string(&call).unwrap();
        let back: ToolCall = serde_json::from_str(&document).unwrap();
        assert_eq!(back, call, "{document}");
    }
}

#[tokio::test]
async fn a_config_that_nests_too_deeply_is_refused_and_a_deep_one_does_not_spoil_the_session() {
    let directory = TempDir::new().unwrap();
    for depth in [100, 101, 200] {
        let store = SqliteStore::open(directory.path().join(format!("{depth}.sqlite"))).await;
        let store: Arc<dyn SessionStore> = Arc::new(store.unwrap());
        store.prepare().await.unwrap();
        let model = ScriptedModel::new().on(Rule::new(), "Done.");
        let mut talk = Talk::on(TestFlow::new(Steps::new().add(Keeps)), model, store).await;
        let config = (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let open = talk.opening().message("Hi").config(config);
        if depth == 100 {
            talk.run(open).await.unwrap();
            talk.say("Hi").await;
        } else {
            let error = talk.run(open).await.unwrap_err();
            assert_eq!(error.code(), "CONFIG_TOO_DEEP");
        }
    }
}
