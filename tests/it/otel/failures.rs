//! Work that comes to another end than it should says so, and ends its span.

use super::{
    SECRET, calls, engine,
    seen::{Seen, attribute, text},
    talks, turn,
};
use crate::support::TestFlow;
use futures_util::{FutureExt, StreamExt, poll};
use picoflow::{
    BoxFuture,
    model::{Block, BlockPhase, BlockReason, ChatModel, ChatRequest, ModelError},
    otel::opentelemetry::trace::Status,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{future::pending, time::Duration};
use tokio_util::sync::CancellationToken;

const TURN: &str = "invoke_agent TestFlow";
const CHAT: &str = "chat script";
const FAIL: &str = "execute_tool fail";

/// Never answers.
struct Hangs;

impl ChatModel for Hangs {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(pending())
    }
}

/// Panics.
struct Panics;

impl ChatModel for Panics {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async { panic!("{SECRET}") })
    }
}

fn check(seen: &Seen, name: &str, code: &str) {
    let span = seen.span(name);
    assert_eq!(text(&span, "error.type"), code, "{name}");
    assert_eq!(span.status, Status::error(""), "{name}");
    assert!(span.end_time >= span.start_time);
}

fn check_outcome(seen: &Seen, outcome: &str) {
    assert_eq!(text(&seen.span(TURN), "picoflow.outcome"), outcome);
}

async fn failing(seen: &Seen, way: &str) -> bool {
    let engine = engine(seen, calls([("fail", json!({ "way": way }))])).await;
    engine.run(turn("Hi")).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_tells_how_and_the_turn_goes_on() {
    for (way, code) in [
        ("feedback", "TOOL_FEEDBACK"),
        ("internal", "TOOL_FAILED"),
        ("panic", "TOOL_PANICKED"),
        ("hang", "TOOL_TIMED_OUT"),
    ] {
        let seen = Seen::new();
        assert!(failing(&seen, way).await, "{way}");
        check(&seen, FAIL, code);
        assert_eq!(attribute(&seen.span(FAIL), "picoflow.transition"), None);
        let whole = seen.span(TURN);
        assert_eq!((attribute(&whole, "error.type"), whole.status), (None, Status::Unset), "{way}");
    }
}

#[tokio::test]
async fn a_tool_that_aborts_fails_the_turn() {
    let seen = Seen::new();
    assert!(!failing(&seen, "abort").await);
    check(&seen, FAIL, "TOOL_ABORTED");
    check(&seen, TURN, "TOOL_ABORTED");
    check_outcome(&seen, "failed");
    assert_eq!(text(&seen.span(TURN), "picoflow.step"), "Desk");
}

#[tokio::test]
async fn a_model_that_fails_or_refuses_fails_the_turn() {
    let permanent = |_: &ChatRequest| Err(ModelError::permanent("no such model"));
    let seen = Seen::new();
    let model = ScriptedModel::new().answer(Rule::new(), permanent);
    engine(&seen, model).await.run(turn("Hi")).await.unwrap_err();
    check(&seen, CHAT, "MODEL_FAILED");
    check(&seen, TURN, "MODEL_FAILED");

    let seen = Seen::new();
    let blocked = |_: &ChatRequest| {
        Err(ModelError::blocked(Block::new(BlockPhase::Reply, BlockReason::Safety)))
    };
    let model = ScriptedModel::new().answer(Rule::new(), blocked);
    engine(&seen, model).await.run(turn("Hi")).await.unwrap_err();
    check(&seen, CHAT, "MODEL_BLOCKED");
    check(&seen, TURN, "MODEL_BLOCKED");
}

#[tokio::test]
async fn a_model_that_panics_says_so() {
    let seen = Seen::new();
    engine(&seen, Panics).await.run(turn("Hi")).await.unwrap_err();
    check(&seen, CHAT, "MODEL_PANICKED");
    check(&seen, TURN, "TURN_PANICKED");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_too_long_is_no_cancelled_one() {
    let seen = Seen::new();
    engine(&seen, Hangs).await.run(turn("Hi")).await.unwrap_err();
    let chats = seen.spans().into_iter().filter(|span| span.name == CHAT);
    let codes: Vec<_> = chats.map(|span| text(&span, "error.type")).collect();
    assert_eq!(codes, ["MODEL_TIMED_OUT"; 3]);
    check(&seen, TURN, "MODEL_FAILED");
}

#[tokio::test]
async fn a_turn_that_is_dropped_ends_its_spans_and_says_that_it_was_cancelled() {
    let seen = Seen::new();
    let engine = engine(&seen, Hangs).await;
    {
        let mut running = Box::pin(engine.run(turn("Hi")));
        assert!(poll!(&mut running).is_pending());
        assert_eq!(seen.tree(), [""; 0]);
    }
    check(&seen, CHAT, "MODEL_CANCELLED");
    check(&seen, TURN, "TURN_CANCELLED");
    check_outcome(&seen, "cancelled");
    assert_eq!(seen.tree(), [TURN.to_owned(), format!("{TURN} > {CHAT}")]);
}

#[tokio::test]
async fn a_stream_that_is_dropped_in_a_handler_ends_its_spans() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("fail", json!({ "way": "hang" }))])).await;
    let mut events = engine.stream(turn("Hi"));
    while let Some(event) = events.next().now_or_never() {
        event.unwrap().unwrap();
    }
    drop(events);
    check(&seen, FAIL, "TOOL_CANCELLED");
    check(&seen, TURN, "TURN_CANCELLED");
}

#[tokio::test]
async fn a_turn_whose_token_fires_is_cancelled() {
    let seen = Seen::new();
    let engine = engine(&seen, Hangs).await;
    let token = CancellationToken::new();
    let mut running = Box::pin(engine.run(turn("Hi").cancellation(token.clone())));
    assert!(poll!(&mut running).is_pending());
    token.cancel();
    running.await.unwrap_err();
    check(&seen, CHAT, "MODEL_CANCELLED");
    check(&seen, TURN, "TURN_CANCELLED");
    check_outcome(&seen, "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_out_of_time_cancels_its_call() {
    let seen = Seen::new();
    let engine = engine(&seen, Hangs).await;
    engine.run(turn("Hi").timeout(Duration::from_secs(1))).await.unwrap_err();
    check(&seen, CHAT, "MODEL_CANCELLED");
    check(&seen, TURN, "TURN_TIMED_OUT");
    check_outcome(&seen, "failed");
}

#[tokio::test]
async fn a_turn_that_is_refused_is_told_too() {
    let seen = Seen::new();
    let engine = engine(&seen, talks()).await;
    engine.run(Turn::new(TestFlow::ID).session("s-0").message("Hi")).await.unwrap_err();
    check(&seen, TURN, "SESSION_UNKNOWN");
    assert_eq!(text(&seen.span(TURN), "gen_ai.conversation.id"), "s-0");
}
