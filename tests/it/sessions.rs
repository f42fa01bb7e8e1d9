//! Turns and their sessions: order, conflicts, cancellation, the document.

use crate::support::{Talk, TestFlow};
use futures_util::{FutureExt, future::join_all};
use picoflow::{
    BoxFuture, SqliteStore, TurnError,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MemoryStore, SessionStore},
    testing::{Rule, ScriptedModel, check_history},
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;
use tempfile::TempDir;
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

pub(crate) struct Notes;

#[tools]
impl Step for Notes {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Take notes.".into()
    }

    /// Take a note
    #[tool(define)]
    fn note(&self, cx: &mut Cx<'_>, text: String) -> ToolResponse {
        let mut notes = cx.state()["notes"].as_array().cloned().unwrap_or_default();
        notes.push(json!(text));
        cx.save_state(json!({ "notes": notes }));
        stay_with("noted")
    }
}

/// Notes what the user says.
pub(crate) fn notes() -> ScriptedModel {
    ScriptedModel::new().on(Rule::new().latest("noted"), "Noted.").answer(Rule::new(), |request| {
        let said = request.latest().map_or("", |said| &*said.content);
        let call = ToolCall::new("1", "note", &json!({ "text": said }));
        Ok(ModelReply::calls([call]))
    })
}

pub(crate) fn flow() -> TestFlow {
    TestFlow::new(Steps::new().add(Notes))
}

/// Answers when it is let.
#[derive(Clone)]
struct Gated {
    gate: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    model: ScriptedModel,
}

impl Gated {
    fn new(permits: usize) -> Self {
        Self { gate: Arc::new(Semaphore::new(permits)), waiting: Arc::default(), model: notes() }
    }
}

impl ChatModel for Gated {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            self.gate.acquire().await.unwrap().forget();
            self.model.generate(request).await
        })
    }
}

#[tokio::test]
async fn the_revision_grows_by_one_with_each_turn() {
    let mut talk = Talk::of(flow(), notes()).await;
    for revision in 0..4 {
        talk.say("Hi").await;
        assert_eq!(talk.session().await.revision, revision);
    }
}

#[tokio::test]
async fn a_failed_first_turn_stores_nothing() {
    let mut talk = Talk::of(flow(), ScriptedModel::new()).await;
    talk.fail("Hi").await;
    assert_eq!(talk.stored().await, []);
}

#[tokio::test]
async fn turns_of_one_session_queue_in_the_order_of_the_calls() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("first").await;
    let texts = ["a", "b", "c", "d"];
    let turns = texts.map(|text| talk.engine.run(talk.turn(text)));
    let mut turns = Box::pin(join_all(turns));
    assert!(turns.as_mut().now_or_never().is_none());
    // Only one of them got as far as the model.
    assert_eq!(model.waiting.load(Ordering::SeqCst), 3);
    model.gate.add_permits(8);
    for reply in turns.await {
        reply.unwrap();
    }
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["first", "a", "b", "c", "d"] }));
    let session = talk.session().await;
    assert_eq!(session.revision, 4);
    check_history(&session).unwrap();
}

#[tokio::test]
async fn turns_of_different_sessions_do_not_wait_for_each_other() {
    let model = Gated::new(4);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("one").await;
    let one = talk.turn("one");
    talk.run(talk.opening().message("two")).await.unwrap();
    let two = talk.turn("two");
    let engine = &talk.engine;
    let mut turns = Box::pin(join_all([engine.run(one), engine.run(two)]));
    assert!(turns.as_mut().now_or_never().is_none());
    assert_eq!(model.waiting.load(Ordering::SeqCst), 6);
    model.gate.add_permits(4);
    for reply in turns.await {
        reply.unwrap();
    }
}

#[tokio::test]
async fn a_turn_whose_future_is_dropped_leaves_the_session_as_it_was() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("first").await;
    let before = talk.stored().await;
    let mut turn = Box::pin(talk.engine.run(talk.turn("second")));
    assert!(turn.as_mut().now_or_never().is_none());
    drop(turn);
    assert_eq!(talk.stored().await, before);
    model.gate.add_permits(2);
    talk.say("third").await;
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["first", "third"] }));
}

#[tokio::test]
async fn a_turn_dropped_while_it_waits_for_its_session_leaves_the_others_alone() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("first").await;
    let mut running = Box::pin(talk.engine.run(talk.turn("second")));
    assert!(running.as_mut().now_or_never().is_none());
    let mut waiting = Box::pin(talk.engine.run(talk.turn("never")));
    assert!(waiting.as_mut().now_or_never().is_none());
    let mut behind = Box::pin(talk.engine.run(talk.turn("third")));
    assert!(behind.as_mut().now_or_never().is_none());
    drop(waiting);
    model.gate.add_permits(4);
    running.await.unwrap();
    behind.await.unwrap();
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["first", "second", "third"] }));
}

#[tokio::test]
async fn a_cancelled_turn_is_an_error_and_leaves_the_session_as_it_was() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("first").await;
    let token = CancellationToken::new();
    token.cancel();
    let turn = talk.turn("second").cancellation(token);
    let error = talk.run(turn).await.unwrap_err();
    assert!(matches!(error, TurnError::Cancelled), "{error}");
    assert_eq!(error.code(), "TURN_CANCELLED");
    assert_eq!(talk.session().await.error, []);
    model.gate.add_permits(2);
    talk.say("third").await;
}

/// Cancels the turn in the middle of it.
struct Cancels(CancellationToken);

#[tools]
impl Step for Cancels {
    /// Cancel, then wait
    #[tool(define)]
    async fn cancel(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "wrote": true }));
        let seen = cx.cancellation().clone();
        self.0.cancel();
        // Whoever works for the turn sees it too.
        seen.cancelled().await;
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_turn_may_be_cancelled_while_a_handler_works() {
    let token = CancellationToken::new();
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new(), [("cancel", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Cancels(token.clone())), model).await;
    talk.say("Hi").await;
    let turn = talk.turn("cancel").cancellation(token);
    let error = talk.run(turn).await.unwrap_err();
    assert!(matches!(error, TurnError::Cancelled), "{error}");
    talk.say("Hi").await;
}

/// Writes the stored session in the middle of a turn, as another process would.
struct Intruder(Arc<dyn SessionStore>, Arc<Mutex<Option<String>>>);

#[tools]
impl Step for Intruder {
    /// Write behind the engine's back
    #[tool(define)]
    async fn intrude(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let mut session = self.0.load(cx.session_id()).await?.unwrap();
        let revision = session.revision;
        session.revision += 1;
        session.tokens = picoflow::model::Usage::new(1000, 0);
        self.0.save(&session, revision).await?;
        *self.1.lock().unwrap() = Some(session.id);
        cx.save_state(json!({ "lost": true }));
        Ok(stay_with("done"))
    }
}

#[tokio::test]
async fn of_two_writers_the_second_gets_a_conflict_and_nothing_of_it_is_kept() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("intrude"), [("intrude", json!({}))])
        .on(Rule::new(), "Hello.");
    let steps = Steps::new().add(Intruder(Arc::clone(&store), Arc::default()));
    let mut talk = Talk::on(TestFlow::new(steps), model, Arc::clone(&store)).await;
    talk.say("Hi").await;
    // Not by `Talk`, whose check is that nobody else writes.
    let error = talk.engine.run(talk.turn("intrude")).await.unwrap_err();
    assert!(matches!(error, TurnError::Conflict { .. }), "{error}");
    assert_eq!(error.code(), "SESSION_CONFLICT");
    assert_eq!(
        error.to_string(),
        format!("Session '{}' was changed or removed by another request.", talk.id())
    );
    let session = talk.session().await;
    check_history(&session).unwrap();
    assert_eq!(session.revision, 1);
    assert_eq!(session.tokens.input_tokens, 1000);
    assert_eq!(session.state("Intruder"), None);
    assert_eq!(session.error, []);
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_deleting_it_again_is_no_error() {
    let mut talk = Talk::of(flow(), notes()).await;
    talk.say("Hi").await;
    let id = talk.id().to_owned();
    talk.engine.delete_session(&id).await.unwrap();
    talk.engine.delete_session(&id).await.unwrap();
    assert!(talk.engine.session(&id).await.unwrap().is_none());
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::UnknownSession { .. }), "{error}");
}

#[tokio::test]
async fn a_session_goes_on_in_a_new_engine_on_the_same_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("s.sqlite");
    let mut session: Option<String> = None;
    for turn in 0..3 {
        let store = SqliteStore::open(&path).await.unwrap();
        store.prepare().await.unwrap();
        let store: Arc<dyn SessionStore> = Arc::new(store);
        let mut talk = Talk::on(flow(), notes(), store).await;
        let mut next = talk.opening().message(turn.to_string());
        if let Some(id) = &session {
            next = next.session(id);
        }
        session = Some(talk.run(next).await.unwrap().session);
        let notes: Vec<_> = (0..=turn).map(|turn: u32| turn.to_string()).collect();
        assert_eq!(talk.state("Notes").await, json!({ "notes": notes }));
    }
}

#[tokio::test]
async fn a_delete_waits_for_the_turn_that_runs() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("first").await;
    let mut turn = Box::pin(talk.engine.run(talk.turn("second")));
    assert!(turn.as_mut().now_or_never().is_none());
    let mut delete = Box::pin(talk.engine.delete_session(talk.id()));
    assert!(delete.as_mut().now_or_never().is_none());
    model.gate.add_permits(2);
    turn.await.unwrap();
    delete.await.unwrap();
    assert_eq!(talk.stored().await, []);
}

/// Leaves the turn's token behind.
struct Leaks(Arc<Mutex<Option<CancellationToken>>>);

#[tools]
impl Step for Leaks {
    /// Work on
    #[tool(define)]
    async fn work(&self, cx: &mut Cx<'_>) -> ToolResponse {
        *self.0.lock().unwrap() = Some(cx.cancellation().clone());
        std::future::pending().await
    }
}

#[tokio::test]
async fn whoever_works_for_a_turn_that_is_dropped_gets_to_know() {
    let leaked = Arc::default();
    let model = ScriptedModel::new().on_call(Rule::new(), [("work", json!({}))]);
    let steps = Steps::new().add(Leaks(Arc::clone(&leaked)));
    let talk = Talk::new(steps, model).await;
    let mut turn = Box::pin(talk.engine.run(talk.turn("Hi")));
    assert!(turn.as_mut().now_or_never().is_none());
    let token = leaked.lock().unwrap().clone().unwrap();
    assert!(!token.is_cancelled());
    drop(turn);
    assert!(token.is_cancelled());
    assert_eq!(talk.stored().await, []);
}

#[tokio::test]
async fn a_turn_that_succeeds_leaves_the_callers_token_alone() {
    let mut talk = Talk::of(flow(), notes()).await;
    let token = CancellationToken::new();
    for text in ["first", "second"] {
        let turn = talk.turn(text).cancellation(token.clone());
        talk.run(turn).await.unwrap();
    }
    assert!(!token.is_cancelled());
}

/// Two engines that share a store are two processes to each other.
#[tokio::test]
async fn a_turn_that_has_lost_pays_for_no_further_model_call() {
    let directory = TempDir::new().unwrap();
    let sqlite = SqliteStore::open(directory.path().join("s.sqlite")).await.unwrap();
    let stores: [Arc<dyn SessionStore>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite)];
    for store in stores {
        let mut talk = Talk::on(flow(), notes(), Arc::clone(&store)).await;
        talk.say("Hi").await;
        let model = Gated::new(0);
        let late = Talk::on(flow(), model.clone(), Arc::clone(&store)).await;
        let turn = talk.turn("too late");
        let (lost, ()) = tokio::join!(late.engine.run(turn), async {
            while model.waiting.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
            talk.say("first").await;
            model.gate.add_permits(9);
        });
        assert!(matches!(&lost, Err(TurnError::Conflict { session }) if session == talk.id()));
        // The answer to its tool call would have been the second.
        assert_eq!(model.waiting.load(Ordering::SeqCst), 1);
        assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi", "first"] }));
        // So it is with a session that was deleted in the meantime.
        let model = Gated::new(0);
        let late = Talk::on(flow(), model.clone(), Arc::clone(&store)).await;
        let (lost, ()) = tokio::join!(late.engine.run(talk.turn("too late")), async {
            while model.waiting.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
            talk.engine.delete_session(talk.id()).await.unwrap();
            model.gate.add_permits(9);
        });
        assert!(matches!(lost, Err(TurnError::Conflict { .. })));
        assert_eq!(model.waiting.load(Ordering::SeqCst), 1);
        assert!(talk.stored().await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_with_its_time_wherever_it_is_and_the_next_one_runs() {
    let model = Gated::new(2);
    let mut talk = Talk::of(flow(), model.clone()).await;
    talk.say("Hi").await;
    let limit = Duration::from_secs(5);
    // In a model call, and behind another turn of the session.
    let turn = |text| talk.turn(text).timeout(limit);
    let start = Instant::now();
    let (first, second) = tokio::join!(
        talk.engine.run(turn("first").timeout(limit * 2)),
        talk.engine.run(turn("second"))
    );
    assert!(matches!(first, Err(TurnError::TimedOut { limit: told }) if told == limit * 2));
    assert!(matches!(second, Err(TurnError::TimedOut { limit: told }) if told == limit));
    assert_eq!(second.unwrap_err().code(), "TURN_TIMED_OUT");
    assert_eq!(start.elapsed(), limit * 2);
    let turn = turn("third");
    model.gate.add_permits(2);
    talk.run(turn).await.unwrap();
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi", "third"] }));
    assert!(talk.session().await.error.is_empty());
}
