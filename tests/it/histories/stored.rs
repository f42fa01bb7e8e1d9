//! Sessions that were stored when names and ids were kept as the model wrote them.

use super::{called, steps};
use crate::support::TestFlow;
use picoflow::{
    BoxError, SqliteStore,
    prelude::*,
    session::{MemoryStore, Session, SessionStore, check_history},
    testing::{Rule, ScriptedModel, check_request},
};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

fn message(kind: &str, extra: &Value) -> Value {
    let mut message = json!({
        "id": "Desk|1", "type": kind, "content": "x", "timestamp": "2026-02-11T09:14:02.113Z"
    });
    message.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    message
}

/// A document with a history that every provider refuses.
fn document() -> Value {
    let mut messages = vec![message(
        "human",
        &json!({ "additional_kwargs": { "images": [{ "mediaType": "image/png", "url": "https://example.com/a.png" }] } }),
    )];
    let long = "x".repeat(100);
    for calls in [
        [("call_0", "look up"), ("call_0", "look_up")],
        [("call_0", ""), ("", &*long)],
        [("call_1", "look_up"), ("call_2", "größe")],
    ] {
        let tool_calls = calls.map(|(id, name)| json!({ "id": id, "name": name, "args": {} }));
        messages.push(message("ai", &json!({ "tool_calls": tool_calls })));
        messages.extend(calls.map(|(id, name)| {
            message("tool", &json!({ "tool_call_id": id, "name": name, "status": "success" }))
        }));
    }
    messages.push(message("ai", &json!({})));
    json!({
        "id": "old", "revision": 3, "version": 1, "runStatus": "running", "turns": 3,
        "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:14:02.113Z",
        "flow": {
            "name": "TestFlow", "model": { "provider": "test", "name": "script" }, "currentStep": "Desk",
            "memory": { "one": { "messages": messages, "summary": "Before." }, "other": { "messages": messages } },
        },
    })
}

async fn goes_on(flow: impl Flow, store: Arc<dyn SessionStore>) {
    store.prepare().await.unwrap();
    let old: Session = serde_json::from_value(document()).unwrap();
    assert!(check_history(&old).is_err());
    store.create(&old).await.unwrap();
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let seen_by_model = Arc::clone(&seen);
    let model = ScriptedModel::new().answer(Rule::new(), move |request| {
        seen_by_model.lock().unwrap().push(request.clone());
        Ok(ModelReply::text("Done."))
    });
    let engine = Engine::builder().flow(flow).model(model).store(Arc::clone(&store));
    let engine = engine.build().await.unwrap();
    let turn = || Turn::new("TestFlow").session("old").message("Hi");
    let reply = engine.run(turn()).await.unwrap();
    let repairs: Vec<_> = reply.warnings().collect();
    assert_eq!(repairs.len(), 2, "{repairs:?}");
    assert!(repairs[0].starts_with("repaired the memory `one`: "), "{repairs:?}");
    assert!(repairs[0].contains("of 5 stored tool calls"), "{repairs:?}");

    let session = store.load("old").await.unwrap().unwrap();
    check_history(&session).unwrap();
    let memory = &session.flow.memory["one"];
    let names: Vec<_> = called(&memory.messages).into_iter().map(|(_, name)| name).collect();
    let long = "x".repeat(64);
    assert_eq!(names, ["look_up_2", "look_up", "unknown_tool", &long, "look_up", "gr__e"]);
    assert_eq!(memory.messages.iter().find(|one| one.is_human()).unwrap().images().len(), 1);
    assert_eq!(memory.summary.as_deref(), Some("Before."));

    let again = engine.run(turn()).await.unwrap();
    assert_eq!(again.warnings().count(), 0);
    for request in seen.lock().unwrap().iter() {
        check_request(request).unwrap();
    }
}

#[tokio::test]
async fn a_stored_history_is_repaired_when_it_goes_on() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("s.sqlite");
    goes_on(TestFlow::new(steps()), Arc::new(MemoryStore::new())).await;
    goes_on(TestFlow::new(steps()), Arc::new(SqliteStore::open(file).await.unwrap())).await;
}

/// The same flow a version later.
struct Later;

#[tools]
impl Flow for Later {
    const ID: FlowId = FlowId::new("TestFlow");

    fn version(&self) -> u32 {
        1
    }

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        steps()
    }

    fn migrate(&self, document: Value, _from: u32) -> Result<Value, BoxError> {
        Ok(document)
    }
}

#[tokio::test]
async fn a_migrated_history_is_repaired_too() {
    goes_on(Later, Arc::new(MemoryStore::new())).await;
}

#[tokio::test]
async fn a_failed_turn_leaves_an_old_document_as_it_was() {
    let store = Arc::new(MemoryStore::new());
    let old: Session = serde_json::from_value(document()).unwrap();
    store.create(&old).await.unwrap();
    let model = ScriptedModel::new();
    let engine =
        Engine::builder().flow(TestFlow::new(steps())).model(model).store(Arc::clone(&store));
    let engine = engine.build().await.unwrap();
    let turn = Turn::new("TestFlow").session("old").message("Hi");
    assert!(engine.run(turn).await.is_err());
    let now = store.load("old").await.unwrap().unwrap();
    assert_eq!(now.flow, old.flow);
    assert_eq!(now.error.len(), 1);
}
