//! The end of a batch: cancelled, out of time, or dropped.

use crate::support::{Lab, Setup, outcomes, worker};
use picoflow::{
    BoxFuture, ChildFailure, TurnError,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A batch that ends by `token` after 50 ms.
fn until(token: &CancellationToken, children: impl IntoIterator<Item = Child>) -> Children {
    let later = token.clone();
    tokio::spawn(async move {
        sleep(ms(50)).await;
        later.cancel();
    });
    Children::new(children).cancellation(token.clone())
}

fn grace(millis: u64) -> Setup {
    let limits = Limits::default().child_grace(ms(millis));
    Setup { limits, ..Setup::default() }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_batch_starts_nothing_more_and_stops_those_that_run_after_the_grace_period() {
    let mut lab = Lab::with(grace(100), || {
        let save = json!({ "save": { "left": 1 } });
        let children = [
            worker("before", json!([{ "save": { "x": 1 } }])),
            worker("stops", json!([save, { "until told": 10 }, { "fail": "told" }])),
            worker("hangs", json!([save, { "hang": 1 }])),
            worker("queued", json!([save])),
        ];
        until(&CancellationToken::new(), children).concurrency(2)
    })
    .await;
    let began = Instant::now();
    let (reply, came) = lab.start().await;
    let batch = came.unwrap();
    assert_eq!(
        outcomes(&batch),
        ["ok", "PARALLEL_CANCELLED", "PARALLEL_UNRESPONSIVE", "PARALLEL_NOT_STARTED"]
    );
    let (branch, error) = batch.rejected().nth(1).unwrap();
    assert_eq!(branch.key.as_deref(), Some("hangs"));
    assert!(matches!(error.failure, ChildFailure::Unresponsive { grace } if grace == ms(100)));
    assert!(error.to_string().starts_with("child `Worker[hangs]`: was cancelled and did not stop"));
    assert_eq!(began.elapsed(), ms(150));
    assert_eq!(lab.state().await, json!({ "x": 1 }));
    assert_eq!(lab.traces().await, (1, vec!["Worker[before] works".into()]));
    assert_eq!(reply.usage.input_tokens, 30);
    // A child that is stopped where it waits does not come to its `on_exit`.
    let exits: Vec<_> =
        lab.journal.take().into_iter().filter(|line| line.ends_with("exits")).collect();
    assert_eq!(exits, ["Worker[before] exits", "Worker[stops] exits"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_succeeds_within_the_grace_period_counts() {
    let mut lab = Lab::with(grace(100), || {
        let children = [worker("a", json!([{ "wait": 120 }, { "save": { "x": 1 } }]))];
        until(&CancellationToken::new(), children)
    })
    .await;
    let (_, came) = lab.start().await;
    // It has what it needs but for a model call, which a child that is told to stop does not make.
    assert_eq!(outcomes(&came.unwrap()), ["PARALLEL_CANCELLED"]);

    let model = Slow(ms(120));
    let mut lab = Lab::over(grace(100), model, || {
        let children = [worker("a", json!([{ "save": { "x": 1 } }]))];
        until(&CancellationToken::new(), children)
    })
    .await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok"]);
    assert_eq!(lab.state().await, json!({ "x": 1 }));
}

/// Takes its time for workers.
struct Slow(Duration);

impl ChatModel for Slow {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            if request.step == "Worker" {
                sleep(self.0).await;
            }
            Ok(if request.latest().is_some_and(|latest| latest.content == "start") {
                ModelReply::calls([ToolCall::new("1", "start", &json!({}))])
            } else {
                ModelReply::text("Done.")
            })
        })
    }
}

/// Waits, for workers, until the request is cancelled.
struct Patient(Arc<Notify>);

impl ChatModel for Patient {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            if request.step == "Worker" {
                request.cancellation.cancelled().await;
                self.0.notify_one();
                return Err(ModelError::permanent("cancelled"));
            }
            Slow(Duration::ZERO).generate(request).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_childs_model_call_is_told_by_the_request() {
    let told = Arc::new(Notify::new());
    let mut lab = Lab::over(grace(100), Patient(Arc::clone(&told)), || {
        until(&CancellationToken::new(), [worker("a", json!([]))])
    })
    .await;
    let began = Instant::now();
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["PARALLEL_CANCELLED"]);
    told.notified().await;
    assert_eq!(began.elapsed(), ms(50));
}

#[tokio::test]
async fn of_a_batch_whose_token_has_fired_nothing_starts() {
    let mut lab = Lab::new(|| {
        let token = CancellationToken::new();
        token.cancel();
        Children::new([worker("a", json!([])), worker("b", json!([]))]).cancellation(token)
    })
    .await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["PARALLEL_NOT_STARTED"; 2]);
    assert_eq!(lab.journal.take(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_takes_too_long_is_told_and_leaves_nothing_also_if_it_comes_to_an_end() {
    let mut lab = Lab::with(grace(100), || {
        let ops = |grace: u64| json!([{ "save": { "late": 1 } }, { "until told": grace }]);
        [
            worker("ends", ops(10)).timeout(ms(30)),
            worker("hangs", ops(1000)).timeout(ms(40)),
            worker("in time", json!([{ "wait": 10 }, { "save": { "x": 1 } }])).timeout(ms(30)),
        ]
    })
    .await;
    let began = Instant::now();
    let (reply, came) = lab.start().await;
    let batch = came.unwrap();
    assert_eq!(outcomes(&batch), ["PARALLEL_TIMED_OUT", "PARALLEL_TIMED_OUT", "ok"]);
    let limits: Vec<_> = batch.rejected().map(|(_, error)| error.failure.clone()).collect();
    assert!(
        matches!(&*limits, [ChildFailure::TimedOut { limit: a }, ChildFailure::TimedOut { limit: b }]
            if (*a, *b) == (ms(30), ms(40))),
        "{limits:?}"
    );
    assert_eq!(began.elapsed(), ms(140));
    assert_eq!(lab.state().await, json!({ "x": 1 }));
    assert_eq!(lab.traces().await, (1, vec!["Worker[in time] works".into()]));
    assert!(reply.warnings().next().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_steps_own_limit_bounds_it_as_a_child_unless_the_child_has_one() {
    let worker_limits = Limits::default().child_timeout(ms(30)).child_grace(ms(5));
    let setup = Setup { worker_limits: Some(worker_limits), ..Setup::default() };
    let mut lab = Lab::with(setup, || {
        let hangs = |key| worker(key, json!([{ "hang": 1 }]));
        [hangs("step's"), hangs("own").timeout(ms(60)), worker("done", json!([]))]
    })
    .await;
    let began = Instant::now();
    let (_, came) = lab.start().await;
    let batch = came.unwrap();
    assert_eq!(outcomes(&batch), ["PARALLEL_TIMED_OUT", "PARALLEL_TIMED_OUT", "ok"]);
    assert!(batch.rejected().next().unwrap().1.to_string().contains("took longer than 30ms"));
    assert_eq!(began.elapsed(), ms(65));
}

#[tokio::test(start_paused = true)]
async fn when_a_batch_takes_too_long_what_is_done_is_kept_and_the_rest_is_not() {
    let mut lab = Lab::with(grace(20), || {
        let save = json!({ "save": { "late": 1 } });
        Children::new([
            worker("done", json!([{ "save": { "x": 1 } }])),
            worker("ends", json!([save, { "until told": 5 }])),
            worker("hangs", json!([save, { "hang": 1 }])),
            worker("queued", json!([save])),
        ])
        .concurrency(2)
        .timeout(ms(100))
    })
    .await;
    let began = Instant::now();
    let (_, came) = lab.start().await;
    assert_eq!(
        outcomes(&came.unwrap()),
        ["ok", "PARALLEL_TIMED_OUT", "PARALLEL_TIMED_OUT", "PARALLEL_NOT_STARTED"]
    );
    assert_eq!(began.elapsed(), ms(120));
    assert_eq!(lab.state().await, json!({ "x": 1 }));
}

#[tokio::test(start_paused = true)]
async fn children_of_a_child_that_is_told_to_stop_are_told_too() {
    let mut lab = Lab::with(grace(100), || {
        let inner = json!([["x", [{ "until told": 1 }]], ["y", [{ "hang": 1 }]]]);
        until(&CancellationToken::new(), [worker("a", json!([{ "nest": inner }]))])
    })
    .await;
    let began = Instant::now();
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()).len(), 1);
    assert!(lab.journal.take().contains(&"Worker[a]/Worker[x] is told".to_owned()));
    assert_eq!(began.elapsed(), ms(150));
    assert_eq!(lab.traces().await, (0, vec![]));
}

#[tokio::test(start_paused = true)]
async fn the_time_out_of_the_handler_stops_its_children_and_their_tokens_count() {
    let limits = Limits::default().tool_timeout(ms(50));
    let mut lab = Lab::with(Setup { limits, ..Setup::default() }, || {
        let done = json!([["x", [{ "save": { "x": 1 } }]], ["y", []]]);
        [worker("a", json!([{ "nest": done }, { "tick": 1000 }])), worker("b", json!([]))]
    })
    .await;
    let reply = lab.talk.say("start").await;
    assert!(lab.came().is_none());
    // `x`, `y` and `b`, and the starter twice.
    assert_eq!(reply.usage.input_tokens, 50);
    assert_eq!(lab.talk.session().await.tokens.input_tokens, 50);
    assert_eq!(lab.state().await, Value::Null);
    assert_eq!(lab.traces().await, (0, vec![]));
    lab.journal.take();
    sleep(ms(2000)).await;
    assert_eq!(lab.journal.take(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_dropped_or_cancelled_at_any_moment_leaves_no_child_at_work() {
    for (moment, by_token) in (0..24).flat_map(|moment| [(moment, false), (moment, true)]) {
        let mut lab = Lab::new(|| {
            let inner = json!([["x", [{ "tick": 5 }]], ["y", [{ "tick": 9 }]]]);
            Children::new([
                worker("a", json!([{ "tick": 2 }, { "nest": inner }, { "tick": 3 }])),
                worker("b", json!([{ "tick": 4 }])),
                worker("c", json!([{ "tick": 12 }])),
            ])
            .concurrency(2)
        })
        .await;
        lab.talk.say("Hi").await;
        let before = lab.talk.session().await;
        let token = CancellationToken::new();
        let turn = lab.talk.turn("start").cancellation(token.clone());
        let engine = lab.talk.engine.clone();
        let mut running = Box::pin(async move { engine.run(turn).await });
        let pause = sleep(ms(moment));
        tokio::select! {
            biased;
            ended = &mut running => {
                assert!(ended.is_ok());
                assert!(moment >= 16, "{moment}");
                continue;
            }
            () = pause => {}
        }
        if by_token {
            token.cancel();
            let ended = running.await;
            assert!(matches!(ended, Err(TurnError::Cancelled)), "{ended:?}");
        } else {
            drop(running);
        }
        lab.journal.take();
        sleep(ms(100)).await;
        assert_eq!(lab.journal.take(), [""; 0]);
        assert_eq!(lab.talk.session().await, before);
        let (_, came) = lab.start().await;
        assert_eq!(outcomes(&came.unwrap()), ["ok"; 3]);
    }
}
