//! Stores that fail in the middle of things.

use crate::support::{Broken, Talk, TestFlow};
use picoflow::{
    TurnError,
    prelude::*,
    session::{MemoryStore, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::sync::Arc;

struct Talks;

#[tools]
impl Step for Talks {
    /// Go nowhere
    #[tool(define)]
    fn astray(&self) -> ToolResponse {
        let target = "Nowhere".to_owned();
        go(target)
    }
}

async fn talk() -> (Talk, Broken) {
    let behind: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let store = Broken::new(Arc::clone(&behind));
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("astray"), [("astray", json!({}))])
        .on(Rule::new(), "Hello.");
    let flow = TestFlow::new(Steps::new().add(Talks));
    let talk = Talk::open(flow, model, store.clone(), behind, |engine| engine).await;
    (talk, store)
}

fn check(error: &TurnError, at: &str) {
    assert!(matches!(error, TurnError::Store(_)), "{error}");
    assert_eq!(error.code(), "SESSION_STORE_ERROR");
    assert!(error.to_string().contains(&format!("no {at} today")), "{error}");
}

#[tokio::test]
async fn a_store_that_fails_on_create_stores_nothing() {
    let (mut talk, store) = talk().await;
    store.fail(Some("create"));
    check(&talk.fail("Hi").await, "create");
    assert_eq!(talk.stored().await, []);
    store.fail(None);
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_store_that_fails_on_load_costs_no_model_call() {
    let (mut talk, store) = talk().await;
    talk.say("Hi").await;
    store.fail(Some("load"));
    check(&talk.fail("Hi").await, "load");
    assert_eq!(talk.requests().len(), 1);
    store.fail(None);
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_store_that_fails_on_save_leaves_the_session_as_it_was() {
    let (mut talk, store) = talk().await;
    talk.say("Hi").await;
    store.fail(Some("save"));
    check(&talk.fail("Hi").await, "save");
    assert_eq!(talk.session().await.error, []);
    store.fail(None);
    talk.say("Hi").await;
    assert_eq!(talk.memory("Talks").await.len(), 4);
}

#[tokio::test]
async fn a_failure_that_cannot_be_noted_is_still_the_failure() {
    let (mut talk, store) = talk().await;
    talk.say("Hi").await;
    store.fail(Some("save"));
    let error = talk.fail("astray").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    assert_eq!(talk.session().await.error, []);
    store.fail(None);
    talk.say("Hi").await;
}
