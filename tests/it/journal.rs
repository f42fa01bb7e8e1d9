//! Turns whose calls are journaled: whatever has ended before a process is killed does not happen again.

use crate::{
    any_conversation::{Replies, flow, reply},
    support::{SESSION, Telling, TestFlow, Told, polled, run_paused, tell},
};
use picoflow::{
    BoxError, BoxFuture, Engine, Host, Journal, Reply, TurnError,
    model::ModelReply,
    prelude::*,
    session::{MemoryStore, Session, SessionStore, check_history},
    testing::{Rule, ScriptedModel},
};
use picoflow_tests::{
    faults::Place,
    story::{self, TURNS},
};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::task::yield_now;

/// The journal of one turn, which outlives the process.
#[derive(Clone, Default)]
struct Kept {
    outcomes: Arc<Mutex<BTreeMap<String, String>>>,
    /// Records nothing any more.
    is_full: bool,
}

impl Kept {
    fn all(&self) -> BTreeMap<String, String> {
        self.outcomes.lock().unwrap().clone()
    }
}

impl Journal for Kept {
    fn recall(&self, key: &str) -> Option<String> {
        self.outcomes.lock().unwrap().get(key).cloned()
    }

    fn record(&self, key: String, outcome: String) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move {
            yield_now().await;
            if self.is_full {
                return Err("the disk is full".into());
            }
            let known = self.outcomes.lock().unwrap().insert(key.clone(), outcome);
            assert_eq!(known, None, "{key} is recorded once");
            yield_now().await;
            Ok(())
        })
    }
}

impl Host for Kept {
    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

/// How many of them are model calls.
fn models(outcomes: &BTreeMap<String, String>) -> usize {
    outcomes.keys().filter(|key| key.contains(":model/")).count()
}

/// A telling up to, but not with, turn `number`.
async fn told_before(number: usize) -> Telling {
    let mut telling = Telling::new(None).await;
    for earlier in 0..number {
        drop(telling.attempt(earlier).await);
    }
    telling.faults.arm(None);
    telling
}

/// The engine of a process that runs one turn with this journal.
fn process(telling: &Telling, kept: &Kept) -> Engine {
    telling.engine.over(Arc::clone(&telling.store), kept.clone())
}

async fn attempt(engine: &Engine, number: usize, polls: usize) -> Option<Result<Reply, TurnError>> {
    polled(Box::pin(engine.run(story::turn(SESSION, number))).as_mut(), polls).await
}

async fn check_end(telling: &Telling, told: &Told, number: usize, at: &str) {
    let session = telling.store.load(SESSION).await.unwrap().unwrap();
    check_history(&session).unwrap();
    assert_eq!(story::essence(&session).unwrap(), told.sessions[number], "{at}");
}

fn model_calls(telling: &Telling) -> usize {
    telling.faults.calls().iter().filter(|place| **place == Place::Model).count()
}

/// Kills the process of turn `number` after so many polls, and has another one go on. Returns whether it was done before.
async fn check(told: &Told, number: usize, polls: usize) -> bool {
    let at = format!("turn {number}, killed after {polls} polls");
    let telling = told_before(number).await;
    let kept = Kept::default();
    let is_done = attempt(&process(&telling, &kept), number, polls).await.is_some();
    let ended = kept.all();
    let paid = model_calls(&telling);
    let rows = telling.rows.all();

    let reply = process(&telling, &kept).run(story::turn(SESSION, number)).await.unwrap();
    assert_eq!(reply.text, told.texts[number], "{at}");
    check_end(&telling, told, number, &at).await;

    let all = kept.all();
    if !reply.replayed {
        let new = models(&all) - models(&ended);
        assert_eq!(model_calls(&telling) - paid, new, "{at}: no answered call is made again");
        let asked = reply
            .events
            .iter()
            .filter(|event| matches!(event, picoflow::TurnEvent::ModelCalled { .. }));
        assert_eq!(asked.count(), models(&all), "{at}");
    }
    for (key, _) in telling.rows.all().iter().skip(rows.len()) {
        assert!(!ended.contains_key(key), "{at}: {key} had ended, and ran again");
    }
    is_done
}

#[tokio::test(start_paused = true)]
async fn a_process_killed_at_any_await_is_followed_by_one_that_repeats_no_call() {
    let told = tell().await;
    let mut killed = 0;
    for number in 0..TURNS.len() {
        for polls in 1.. {
            if check(&told, number, polls).await {
                break;
            }
            killed += 1;
        }
    }
    println!("{killed} points at which a process was killed");
    assert!(killed > 100, "{killed}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_processes_are_killed_again_and_again_records_each_outcome_once() {
    let told = tell().await;
    for polls in 1..8 {
        let mut telling = Telling::new(None).await;
        for number in 0..TURNS.len() {
            let at = format!("turn {number}, killed after {polls} polls each time");
            let kept = Kept::default();
            let mut patience = polls;
            while attempt(&process(&telling, &kept), number, patience).await.is_none() {
                // A process that records nothing before it is killed would be followed by others that do not either.
                patience += 1;
            }
            check_end(&telling, &told, number, &at).await;
        }
        telling.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_fails_when_its_journal_does_and_leaves_no_trace() {
    for number in [1, 4, 5] {
        let telling = told_before(number).await;
        let before = telling.store.load(SESSION).await.unwrap();
        let kept = Kept { is_full: true, ..Kept::default() };
        let error = process(&telling, &kept).run(story::turn(SESSION, number)).await.unwrap_err();
        assert_eq!(error.code(), "TURN_JOURNAL");
        assert!(error.to_string().contains("the disk is full; run the turn again"), "{error}");
        assert_eq!(telling.store.load(SESSION).await.unwrap(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_be_read_fails_the_turn_and_names_the_call() {
    let telling = told_before(1).await;
    let kept = Kept::default();
    let key = format!("{SESSION}/2/:model/1");
    kept.outcomes.lock().unwrap().insert(key.clone(), "{}".to_owned());
    let error = process(&telling, &kept).run(story::turn(SESSION, 1)).await.unwrap_err();
    assert_eq!(error.code(), "TURN_JOURNAL");
    assert!(error.to_string().contains(&key), "{error}");
}

/// A store that holds this session, or nothing.
async fn store_with(session: Option<&Session>) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    if let Some(session) = session {
        store.create(session).await.unwrap();
    }
    store
}

/// The document without what differs from attempt to attempt: ids that were made up, too.
fn essence(session: Option<&Session>) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("tool_call_id");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut essence = session.map_or(Value::Null, |session| story::essence(session).unwrap());
    strip(&mut essence);
    // The essence does not hold these.
    let more = session.map(|session| (session.error.len(), session.warn.len(), session.tokens));
    json!([essence, more])
}

/// Runs turn after turn, each twice: by a process that calls the model, and by one that finds all in the journal.
async fn converse_twice(replies: Vec<ModelReply>) {
    let model = Arc::new(Replies::default());
    let engine = Engine::builder().flow(flow()).model(Arc::clone(&model)).build().await.unwrap();
    let mut stored: Option<Session> = None;
    for replies in replies.chunks(3) {
        let turn = match &stored {
            Some(session) => Turn::new("TestFlow").session(&session.id),
            None => Turn::new("TestFlow").token(SESSION),
        };
        let turn = turn.message("Hi");
        let kept = Kept::default();
        let (first, second) =
            (store_with(stored.as_ref()).await, store_with(stored.as_ref()).await);

        model.set(replies.to_vec());
        let ran = engine.over(Arc::clone(&first), kept.clone()).run(turn.clone()).await;
        let outcomes = kept.all();
        // It would answer otherwise, and record that.
        model.set(vec![ModelReply::text("Asked again.")]);
        let resumed = engine.over(Arc::clone(&second), kept.clone()).run(turn).await;
        assert_eq!(kept.all(), outcomes);

        match (&ran, &resumed) {
            (Ok(ran), Ok(resumed)) => {
                assert_eq!(resumed.events, ran.events);
                assert_eq!((&resumed.text, resumed.usage), (&ran.text, ran.usage));
                assert_eq!(resumed.content_type, ran.content_type);
            }
            (Err(ran), Err(resumed)) => assert_eq!(resumed.to_string(), ran.to_string()),
            other => panic!("{other:?}"),
        }
        let ended = first.load(SESSION).await.unwrap();
        let again = second.load(SESSION).await.unwrap();
        assert_eq!(essence(again.as_ref()), essence(ended.as_ref()));
        stored = ended.filter(|session| !session.is_completed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_turn_is_the_same_out_of_its_journal(replies in vec(reply(), 1..24)) {
        run_paused(converse_twice(replies));
    }
}

/// Starts two counters, each of which starts one more.
struct Counting;

#[tools]
impl Step for Counting {
    /// Count
    #[tool(define)]
    async fn count(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let count = |key| Child::new(Counter::ID).key(key).message("outer");
        cx.run_steps([count("a"), count("b")]).await?;
        Ok(stay_with(cx.step_state(Counter::ID)["sum"].to_string()))
    }
}

struct Counter;

#[tools]
impl Step for Counter {
    fn state_channels(&self) -> Channels {
        Channels::new().add("sum", Channel::sum()).add("by", Channel::append())
    }

    /// Add
    #[tool(define)]
    async fn add(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.contribute("sum", 1);
        cx.contribute("by", json!({ "depth": 1 }));
        if cx.parallel().is_some_and(|own| own.id.parent.is_none()) {
            cx.run_steps([Child::new(Counter::ID).message("inner")]).await?;
        }
        cx.save_transient(json!({ "done": true }));
        Ok(direct_result("added"))
    }
}

#[tokio::test]
async fn what_branches_of_branches_contributed_is_the_same_out_of_the_journal() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Count."), [("count", json!({}))])
        .on_call(Rule::new().latest("outer"), [("add", json!({}))])
        .on_call(Rule::new().latest("inner"), [("add", json!({}))])
        .on(Rule::new().latest("4"), "Four.");
    let steps = || Steps::new().add(Counting).add(Counter);
    let engine = Engine::builder().flow(TestFlow::new(steps())).model(model).build().await.unwrap();
    check_any_lost(&engine, "Count.", "Four.", 11).await;
}

/// Runs a first turn with this message, and once more for each of its calls whose outcome the journal has lost: as when
/// the process was killed.
async fn check_any_lost(engine: &Engine, message: &str, text: &str, calls: usize) {
    let turn = Turn::new("TestFlow").token(SESSION).message(message);
    let (kept, store) = (Kept::default(), store_with(None).await);
    let reply = engine.over(Arc::clone(&store), kept.clone()).run(turn.clone()).await.unwrap();
    assert_eq!(reply.text, text);
    let session = store.load(SESSION).await.unwrap();
    let all = kept.all();
    assert_eq!(all.len(), calls, "{:?}", all.keys());

    for lost in all.keys() {
        let kept = Kept::default();
        *kept.outcomes.lock().unwrap() = all.clone();
        kept.outcomes.lock().unwrap().remove(lost);
        let store = store_with(None).await;
        engine.over(Arc::clone(&store), kept.clone()).run(turn.clone()).await.unwrap();
        let again = store.load(SESSION).await.unwrap();
        assert_eq!(essence(again.as_ref()), essence(session.as_ref()), "without {lost}");
    }
}

/// Runs a child in each way, and tells what they came to.
struct Asking;

#[tools]
impl Step for Asking {
    /// Ask
    #[tool(define)]
    async fn ask(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_step_state(Asked::ID, json!({ "ahead": 1 }));
        let alone = cx.run_step(Asked::ID, None).await.is_ok();
        let batch = cx.run_steps([Child::new(Asked::ID)]).await;
        let beside = batch.is_ok_and(|batch| batch.rejected().next().is_none());
        stay_with(format!("{alone} {beside}"))
    }
}

/// Begins afresh, looks something up, answers or leaves.
struct Asked;

#[tools]
impl Step for Asked {
    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        ["nobody"].into()
    }

    /// Look something up
    #[tool(define)]
    fn look(&self, cx: &mut Cx<'_>) -> Json<u8> {
        cx.save_state(json!({ "looked": cx.state()["looked"].as_u64().unwrap_or(0) + 1 }));
        Json(1)
    }

    /// Answer or leave
    #[tool(define)]
    fn end(&self, leave: bool) -> ToolResponse {
        if leave { go(Asking::ID) } else { direct_result(1) }
    }
}

#[tokio::test]
async fn children_that_go_on_or_fail_are_the_same_out_of_the_journal() {
    for (leave, text) in [(false, "true true"), (true, "false false")] {
        let asked = || Rule::new().step("Asked");
        let model = ScriptedModel::new()
            .on_call(Rule::new().step("Asking").latest("Ask."), [("ask", json!({}))])
            .on(Rule::new().step("Asking"), text)
            .on_call(asked().latest("Start"), [("look", json!({}))])
            .on_call(asked(), [("end", json!({ "leave": leave }))]);
        let steps = Steps::new().add(Asking).add(Asked.on_entry(OnEntry::Restart));
        let engine = Engine::builder().flow(TestFlow::new(steps)).model(model);
        let engine = engine.build().await.unwrap();
        check_any_lost(&engine, "Ask.", text, 11).await;
    }
}
