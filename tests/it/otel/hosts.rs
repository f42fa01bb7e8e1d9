//! Telemetry over other hosts: it watches what they do, and they stay what they are.

use super::{
    calls, engine, flow,
    seen::{Seen, attribute},
    talks, turn,
};
use futures_util::poll;
use picoflow::{
    BoxError, BoxFuture, CallSite, Engine, Host, Journal, ToolResult, model::ModelError,
    otel::Telemetry, prelude::*, session::MemoryStore,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const TURN: &str = "invoke_agent TestFlow";
const CHAT: &str = "chat script";

/// A journal that outlives the process.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<BTreeMap<String, String>>>);

impl Journal for Kept {
    fn recall(&self, key: &str) -> Option<String> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn record(&self, key: String, outcome: String) -> BoxFuture<'_, Result<(), BoxError>> {
        self.0.lock().unwrap().insert(key, outcome);
        Box::pin(async { Ok(()) })
    }
}

impl Host for Kept {
    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }

    fn session_id(&self) -> String {
        "s-1".to_owned()
    }
}

fn chats(seen: &Seen) -> u64 {
    let all = seen.histograms();
    let chats = all.get("gen_ai.client.operation.duration");
    chats.map_or(0, |(_, points)| points.values().map(|(count, _)| count).sum())
}

#[tokio::test]
async fn what_a_journal_knows_is_no_new_call() {
    let topic = json!({ "topic": "x" });
    let before = Seen::new();
    let kept = Kept::default();
    let first = engine(&before, calls([("look_up", topic.clone())])).await;
    first.over(MemoryStore::new(), kept.clone()).run(turn("Hi")).await.unwrap();
    assert_eq!(chats(&before), 2);
    assert_eq!(before.spans().len(), 4);
    drop(before);

    let seen = Seen::new();
    let again = engine(&seen, calls([("look_up", topic)])).await;
    again.over(MemoryStore::new(), kept.clone()).run(turn("Hi")).await.unwrap();
    assert_eq!(seen.tree(), [TURN]);
    assert!(!seen.histograms().contains_key("gen_ai.client.operation.duration"));
    drop(seen);

    // Killed behind the handler: the last model call is the only one that is made again.
    kept.0.lock().unwrap().retain(|key, _| !key.ends_with(":model/2"));
    let seen = Seen::new();
    let again = engine(&seen, talks()).await;
    again.over(MemoryStore::new(), kept).run(turn("Hi")).await.unwrap();
    assert_eq!(seen.tree(), [TURN.to_owned(), format!("{TURN} > {CHAT}")]);
    assert_eq!(chats(&seen), 1);
}

#[tokio::test]
async fn an_attempt_that_is_left_off_is_a_cancelled_turn() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("fail", json!({ "way": "hang" }))])).await;
    let attempt = engine.over(MemoryStore::new(), Kept::default());
    {
        let mut running = Box::pin(attempt.run(turn("Hi")));
        assert!(poll!(&mut running).is_pending());
    }
    let spans = seen.spans();
    let codes = spans.iter().map(|span| attribute(span, "error.type"));
    let codes: Vec<_> = codes.map(|code| code.map(|code| code.to_string())).collect();
    let code = |code: &str| Some(code.to_owned());
    assert_eq!(codes, [code("TURN_CANCELLED"), None, code("TOOL_CANCELLED")]);
}

/// Stands still, and answers in the place of the model.
#[derive(Clone)]
struct Answers;

impl Host for Answers {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }

    fn random(&self) -> u64 {
        7
    }

    fn session_id(&self) -> String {
        "s-1".to_owned()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn model_call<'a>(
        &'a self,
        _: CallSite<'a>,
        _: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async { Ok(ModelReply::text("As before.")) })
    }

    fn tool_call<'a>(
        &'a self,
        _: CallSite<'a>,
        call: BoxFuture<'a, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        call
    }
}

#[tokio::test]
async fn a_host_is_asked_for_all_that_it_is_asked_for_without_telemetry() {
    let seen = Seen::new();
    let telemetry = Telemetry::over(Answers);
    assert_eq!((telemetry.now(), telemetry.random()), (UNIX_EPOCH, 7));
    assert_eq!(telemetry.session_id(), "s-1");
    assert!(telemetry.journal().is_none());
    assert!(Telemetry::over(Kept::default()).journal().is_some());
    let engine = Engine::builder().flow(flow()).model(talks()).host(telemetry);
    let engine = engine.build().await.unwrap();
    let reply = engine.run(turn("Hi")).await.unwrap();
    assert_eq!((&*reply.text, &*reply.session), ("As before.", "s-1"));
    // What the host answered by itself was no call.
    assert_eq!(seen.tree(), [TURN]);
}

#[tokio::test]
async fn an_engine_over_another_host_is_watched_once() {
    let seen = Seen::new();
    let engine = engine(&seen, talks()).await;
    engine.over(MemoryStore::new(), Answers).run(turn("Hi")).await.unwrap();
    assert_eq!(seen.tree(), [TURN]);
    let bare = Engine::builder().flow(flow()).model(talks()).build().await.unwrap();
    bare.over(MemoryStore::new(), seen.telemetry()).run(turn("Hi")).await.unwrap();
    assert_eq!(seen.tree(), [TURN.to_owned(), TURN.to_owned(), format!("{TURN} > {CHAT}")]);
}
