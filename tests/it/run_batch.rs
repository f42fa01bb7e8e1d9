//! Batches: one session for each item.

use crate::support::TestFlow;
use futures_util::StreamExt;
use picoflow::{
    BoxFuture, ItemDone, TurnBatch,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MemoryStore, SessionQuery},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::task::yield_now;

struct Ask;

#[tools]
impl Step for Ask {}

/// Counts its calls, and those at the same time. Fails on `bad` as often as it is told to.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
    failures: AtomicUsize,
}

impl ChatModel for Counting {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(now, Ordering::Relaxed);
            for _ in 0..3 {
                yield_now().await;
            }
            self.now.fetch_sub(1, Ordering::Relaxed);
            let said = request.latest().unwrap().content.clone();
            let left = |left: usize| left.checked_sub(1);
            let fails = said == "bad"
                && self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok();
            if fails { Err(ModelError::permanent("no")) } else { Ok(ModelReply::text(said)) }
        })
    }
}

async fn engine(model: &Arc<Counting>) -> Engine {
    let flow = TestFlow::new(Steps::new().add(Ask));
    let engine = Engine::builder().flow(flow).model(Arc::clone(model)).store(MemoryStore::new());
    engine.build().await.unwrap()
}

fn batch(messages: &[&str]) -> TurnBatch {
    let items = messages.iter().enumerate();
    items.fold(TurnBatch::new("b-1"), |batch, (i, message)| {
        batch.item(format!("item-{i}"), Turn::new("TestFlow").message(*message))
    })
}

async fn all(engine: &Engine, batch: TurnBatch) -> Vec<ItemDone> {
    let mut all: Vec<_> = engine.run_batch(batch).unwrap().collect().await;
    let progress: Vec<_> = all.iter().map(|item| item.done).collect();
    assert_eq!(progress, (1..=all.len()).collect::<Vec<_>>());
    assert!(all.iter().all(|item| item.total == all.len()));
    all.sort_by(|a, b| a.key.cmp(&b.key));
    all
}

#[tokio::test]
async fn every_item_has_its_session_and_its_result_and_one_that_fails_stops_no_other() {
    let model = Arc::new(Counting { failures: 1.into(), ..Counting::default() });
    let engine = engine(&model).await;
    let done = all(&engine, batch(&["a", "bad", "c"])).await;
    assert_eq!(done[0].result.as_ref().unwrap().text, "a");
    assert_eq!(done[1].result.as_ref().unwrap_err().code(), "MODEL_FAILED");
    assert_eq!(done[2].result.as_ref().unwrap().session, "b-1:item-2");
    let stored = engine.sessions(&SessionQuery::default()).await.unwrap();
    assert_eq!(stored.len(), 2);

    // Once more: what failed runs, and nothing else.
    let done = all(&engine, batch(&["a", "bad", "c"])).await;
    let replayed = done.iter().map(|item| item.result.as_ref().unwrap().replayed);
    assert_eq!(replayed.collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(model.calls.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn no_more_items_run_at_the_same_time_than_are_allowed() {
    for most in [1, 3, 100] {
        let model = Arc::new(Counting::default());
        let engine = engine(&model).await;
        let messages = vec!["x"; 20];
        all(&engine, batch(&messages).concurrency(most)).await;
        assert_eq!(model.most.load(Ordering::Relaxed), most.min(20));
    }
}

#[tokio::test]
async fn a_batch_that_is_dropped_goes_on_where_it_was() {
    let model = Arc::new(Counting::default());
    let engine = engine(&model).await;
    let messages = vec!["x"; 10];
    let mut done = engine.run_batch(batch(&messages).concurrency(2)).unwrap();
    for _ in 0..4 {
        done.next().await.unwrap();
    }
    drop(done);
    let done = all(&engine, batch(&messages)).await;
    let replayed = done.iter().filter(|item| item.result.as_ref().unwrap().replayed).count();
    assert!((4..=6).contains(&replayed), "{replayed}");
}

#[tokio::test]
async fn a_batch_that_cannot_be_told_apart_is_refused_before_anything_runs() {
    let model = Arc::new(Counting::default());
    let engine = engine(&model).await;
    let turn = || Turn::new("TestFlow").message("x");
    for (batch, reason) in [
        (TurnBatch::new("b").item("a", turn()).item("a", turn()), "the key `a` is given to two"),
        (TurnBatch::new("b").item("a", turn().token("t")), "item `a` has a session or a token"),
        (TurnBatch::new("b").item("a", turn().session("s")), "item `a` has a session or a token"),
        (TurnBatch::new("b").item("a", turn()).concurrency(0), "a `TurnBatch::concurrency` of 0"),
    ] {
        let Err(error) = engine.run_batch(batch) else { panic!("{reason}") };
        assert_eq!(error.code(), "BATCH_INVALID");
        assert!(error.to_string().contains(reason), "{error}");
    }
    // A name that no session can have is the item's failure.
    let done = all(&engine, TurnBatch::new("b c").item("a", turn())).await;
    assert_eq!(done[0].result.as_ref().unwrap_err().code(), "TURN_TOKEN_INVALID");
    assert_eq!(all(&engine, TurnBatch::new("empty")).await.len(), 0);
    assert_eq!(model.calls.load(Ordering::Relaxed), 0);
}
