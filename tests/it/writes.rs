//! How often a turn asks its store.

use crate::support::{Journal, TestFlow, Watched};
use picoflow::{
    prelude::*,
    session::MemoryStore,
    testing::{Rule, ScriptedModel},
};
use std::sync::Arc;

/// Works in all the ways that change a session.
struct Busy;

#[tools]
impl Step for Busy {
    /// Keep a number
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, n: u32) -> ToolResponse {
        cx.save_state(json!({ "n": n }));
        stay()
    }

    /// Fail
    #[tool(define)]
    fn fail(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::internal("no"))
    }

    /// Fail the turn
    #[tool(define)]
    fn abort(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::abort("no more"))
    }

    /// Run children
    #[tool(define)]
    async fn delegate(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let child = |key| Child::new(Quiet::ID).key(key).message("Work.");
        cx.run_step(Quiet::ID, Some("Work.")).await?;
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay())
    }

    /// Go on
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(Quiet::ID)
    }
}

struct Quiet;

#[tools]
impl Step for Quiet {}

/// What the store is asked by an opening turn, by one that says `message`, and how that one ends.
async fn asked(message: &str) -> (Vec<String>, Vec<String>, bool) {
    let keep = |n| ("keep", json!({ "n": n }));
    let on = |latest| Rule::new().latest(latest);
    let model = ScriptedModel::new()
        .on_call(on("call eight"), (0..8).map(keep))
        .on_call(on("fail a tool"), [("fail", json!({})), keep(1)])
        .on_call(on("abort"), [keep(1), ("abort", json!({}))])
        .on_call(on("delegate"), [("delegate", json!({}))])
        .on_call(on("leave"), [keep(1), ("leave", json!({}))])
        .on(Rule::new(), "Done.");
    let calls = Journal::default();
    let store = Watched::new(Arc::new(MemoryStore::new()), calls.clone());
    let flow = TestFlow::new(Steps::new().add(Busy).add(Quiet));
    let engine = Engine::builder().flow(flow).model(model).store(store).build().await.unwrap();
    assert_eq!(calls.take(), ["prepare"]);
    let opening = engine.run(Turn::new(TestFlow::ID).message("Hi")).await.unwrap();
    let first = calls.take();
    let turn = Turn::new(TestFlow::ID).session(opening.session).message(message);
    let is_ok = engine.run(turn).await.is_ok();
    (first, calls.take(), is_ok)
}

/// The calls that are about a whole document. A further model call asks for the revision alone.
fn documents(calls: &[String]) -> Vec<&str> {
    calls.iter().map(|call| &**call).filter(|call| *call != "revision").collect()
}

#[tokio::test]
async fn a_turn_asks_for_the_revision_before_each_model_call_but_the_first() {
    for (message, calls) in [("reply", 0), ("call eight", 1)] {
        let (_, second, _) = asked(message).await;
        assert_eq!(second.iter().filter(|call| *call == "revision").count(), calls, "{message}");
    }
}

#[tokio::test]
async fn a_turn_reads_the_document_once_and_writes_it_once_whatever_happens_in_it() {
    for message in ["reply", "call eight", "fail a tool", "delegate", "leave"] {
        let (first, second, is_ok) = asked(message).await;
        assert!(is_ok, "{message}");
        assert_eq!(first, ["create"], "{message}");
        assert_eq!(documents(&second), ["load", "save"], "{message}");
    }
}

#[tokio::test]
async fn a_failed_turn_writes_once_too_for_its_entry_in_the_list_of_errors() {
    let (_, second, is_ok) = asked("abort").await;
    assert!(!is_ok);
    assert_eq!(documents(&second), ["load", "save"]);
}
