//! Whatever a model does, and wherever a store or a model fails, a turn is stopped, sent again or met by another one, what
//! always holds holds.

use crate::{
    any_conversation::{Replies, flow, reply},
    support::{TestFlow, check_document, polled},
};
use futures_util::future::join;
use picoflow::{
    Engine, Reply, TurnError, TurnEvent,
    prelude::*,
    session::{LogEntry, MemoryStore, SequenceEntry, Session, SessionStore, check_history},
};
use picoflow_tests::faults::{Fault, Faults, Faulty, Kind, Moment};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio_util::sync::CancellationToken;

/// What happens to a turn.
#[derive(Clone, Debug)]
enum Event {
    Nothing,
    Fault(Fault),
    /// Its future is dropped after so many polls.
    Drop(usize),
    /// Its token fires after so many polls.
    Cancel(usize),
    /// Another process runs one on the same session, when this one was polled so often.
    Race(usize),
    /// It is the one before, sent again.
    Again,
}

fn event() -> impl Strategy<Value = Event> {
    let moment = prop_oneof![Just(Moment::Before), Just(Moment::After)];
    let kinds = [Kind::Error, Kind::Hiccup, Kind::Silence, Kind::Death];
    let fault = (0..8_usize, moment, prop::sample::select(kinds.to_vec()));
    prop_oneof![
        3 => Just(Event::Nothing),
        4 => fault.prop_map(|(at, moment, kind)| Event::Fault(Fault { at, moment, kind })),
        2 => (0..16_usize).prop_map(Event::Drop),
        2 => (0..16_usize).prop_map(Event::Cancel),
        2 => (0..16_usize).prop_map(Event::Race),
        2 => Just(Event::Again),
    ]
}

/// How a turn ended.
enum Ended {
    Answered(Reply),
    Failed(TurnError),
    Dropped,
}

impl From<Result<Reply, TurnError>> for Ended {
    fn from(result: Result<Reply, TurnError>) -> Self {
        result.map_or_else(Self::Failed, Self::Answered)
    }
}

/// Two processes that share a store.
struct Lab {
    engines: [Engine; 2],
    store: Arc<MemoryStore>,
    replies: Arc<Replies>,
    faults: Faults,
    sessions: AtomicUsize,
    endings: [AtomicUsize; 3],
}

impl Lab {
    async fn new() -> Self {
        let (store, replies, faults) =
            (Arc::new(MemoryStore::new()), Arc::new(Replies::default()), Faults::new(None));
        let build = || {
            Engine::builder()
                .flow(flow())
                .model(Faulty { inner: Arc::clone(&replies), faults: faults.clone() })
                .store(Faulty { inner: Arc::clone(&store), faults: faults.clone() })
                .build()
        };
        let engines = [build().await.unwrap(), build().await.unwrap()];
        let (sessions, endings) = <_>::default();
        Self { engines, store, replies, faults, sessions, endings }
    }

    async fn stored(&self, id: &str) -> Option<Session> {
        self.store.load(id).await.unwrap()
    }

    async fn meet(&self, event: &Event, turn: Turn) -> Vec<Ended> {
        let fault = if let Event::Fault(fault) = event { Some(*fault) } else { None };
        self.faults.arm(fault);
        let [engine, other] = &self.engines;
        let token = CancellationToken::new();
        let mut work = Box::pin(engine.run(turn.clone().cancellation(token.clone())));
        match event {
            Event::Nothing | Event::Again => vec![work.await.into()],
            Event::Fault(_) => tokio::select! {
                ended = work => vec![ended.into()],
                () = self.faults.death() => vec![Ended::Dropped],
            },
            Event::Drop(polls) => match polled(work.as_mut(), *polls).await {
                Some(ended) => vec![ended.into()],
                None => vec![Ended::Dropped],
            },
            Event::Cancel(polls) => {
                if let Some(ended) = polled(work.as_mut(), *polls).await {
                    return vec![ended.into()];
                }
                token.cancel();
                vec![work.await.into()]
            }
            Event::Race(polls) => {
                let second = turn.message("Me too").token("another");
                if let Some(ended) = polled(work.as_mut(), *polls).await {
                    return vec![ended.into(), other.run(second).await.into()];
                }
                let (first, second) = join(work, other.run(second)).await;
                vec![first.into(), second.into()]
            }
        }
    }

    async fn converse(&self, replies: Vec<ModelReply>, events: Vec<Event>) {
        self.replies.set(replies);
        let new_id = || format!("session-{}", self.sessions.fetch_add(1, Ordering::Relaxed));
        let mut id = new_id();
        let mut last: Option<Turn> = None;
        for (number, event) in events.into_iter().enumerate() {
            let before = self.stored(&id).await;
            let turn = Turn::new(TestFlow::ID).message(format!("Message {number}"));
            let turn = match (&event, last, &before) {
                (Event::Again, Some(last), _) => last,
                (_, _, Some(session)) if session.is_completed() => {
                    id = new_id();
                    turn.token(&id)
                }
                (_, _, Some(_)) => turn.session(&id).token(format!("turn-{number}")),
                (_, _, None) => turn.token(&id),
            };
            let before = self.stored(&id).await;
            let is_race = matches!(event, Event::Race(_)) && before.is_some();
            let event =
                if matches!(event, Event::Race(_)) && !is_race { Event::Nothing } else { event };
            let ends = self.meet(&event, turn.clone()).await;
            last = Some(turn);
            let after = self.stored(&id).await;
            check(before.as_ref(), after.as_ref(), &ends);
            for ended in &ends {
                let kind = match ended {
                    Ended::Answered(_) => 0,
                    Ended::Failed(_) => 1,
                    Ended::Dropped => 2,
                };
                self.endings[kind].fetch_add(1, Ordering::Relaxed);
            }
        }
        self.store.delete(&id, None).await.unwrap();
    }
}

/// Whether the entry stands for a failed turn, and not for a handler that failed in a turn that did not.
fn is_failed_turn(entry: &LogEntry) -> bool {
    entry.extra.contains_key("code")
}

/// The rules for one document.
fn check_alone(session: &Session) {
    check_history(session).unwrap();
    check_document(session);
    let steps = ["First", "Second", "Apart", "Logic", "Child1"];
    assert!(steps.contains(&session.flow.current_step.as_str()));
    let mut places = session.flow.sequence.iter().filter(|entry| entry.level == 1);
    assert_eq!(places.next_back().unwrap().step_name, session.flow.current_step);
    // Each stored turn and each noted failure is one revision.
    let noted = session.error.iter().filter(|entry| is_failed_turn(entry)).count();
    assert_eq!(session.revision + 1, session.turns + noted as u64);
}

fn check(before: Option<&Session>, after: Option<&Session>, ends: &[Ended]) {
    let turns = |session: Option<&Session>| session.map_or(0, |session| session.turns);
    let grown = usize::try_from(turns(after) - turns(before)).unwrap();
    let mut answered = 0;
    let mut unsure = 0;
    for ended in ends {
        match ended {
            Ended::Answered(reply) => answered += usize::from(!reply.replayed),
            Ended::Failed(TurnError::Store(_)) | Ended::Dropped => unsure += 1,
            Ended::Failed(_) => {}
        }
    }
    assert!((answered..=answered + unsure).contains(&grown), "{grown} of {answered} + {unsure}");
    let Some(after) = after else {
        assert!(before.is_none());
        return;
    };
    // What was there before has been checked before.
    if before != Some(after) {
        check_alone(after);
    }
    if let Some(before) = before {
        assert!(after.flow.sequence.starts_with(&before.flow.sequence));
        assert!(after.error.starts_with(&before.error));
        if grown == 0 {
            check_nothing_but_failures(before, after, ends);
        }
    }
    if let [Ended::Answered(reply)] = ends
        && !reply.replayed
    {
        let known = before.map_or(0, |before| before.flow.sequence.len());
        check_moves(before.is_none(), &after.flow.sequence[known..], reply);
        assert_eq!(after.flow.current_step, reply.step);
        assert_eq!(after.is_completed(), reply.completed);
    }
}

/// Nothing of a turn that failed is to be seen but an entry.
fn check_nothing_but_failures(before: &Session, after: &Session, ends: &[Ended]) {
    let mut without = after.clone();
    let entries = without.error.split_off(before.error.len());
    for entry in &entries {
        let is_it = |ended: &Ended| matches!(ended, Ended::Failed(error) if entry.extra["code"] == error.code());
        assert!(ends.iter().any(is_it) || ends.iter().any(|ended| matches!(ended, Ended::Dropped)));
    }
    assert!(entries.len() <= ends.len());
    without.revision = before.revision;
    without.save_on = before.save_on;
    assert_eq!(*before, without);
}

/// The sequence has what the reply tells of moves and children, in the same order.
fn check_moves(is_new: bool, sequence: &[SequenceEntry], reply: &Reply) {
    let told = reply.events.iter().filter_map(|event| match event {
        TurnEvent::Moved { to, .. } => Some((1, to)),
        TurnEvent::ChildStarted { step, level } => Some((level + 1, step)),
        _ => None,
    });
    let kept = sequence.iter().map(|entry| (entry.level, &entry.step_name));
    assert!(told.eq(kept.skip(usize::from(is_new))), "{sequence:?} but {:?}", reply.events);
}

/// Runs a half of the cases. Each half has a thread.
fn half() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let lab = runtime.block_on(Lab::new());
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        // Without validation it is the same again.
        config.cases = if cfg!(feature = "validate") { 5_000 } else { 500 };
    }
    let cases = config.cases;
    let run = TestRunner::new(config).run(
        &(vec(reply(), 1..20), vec(event(), 1..10)),
        |(replies, events)| {
            runtime.block_on(lab.converse(replies, events));
            Ok(())
        },
    );
    run.unwrap();
    let [answered, failed, dropped] = lab.endings.map(AtomicUsize::into_inner);
    println!(
        "{cases} conversations: {answered} turns answered, {failed} failed, {dropped} dropped"
    );
    // Else there is little that this has tried.
    let least = cases as usize / 2;
    assert!(answered > least && failed > least && dropped > least / 2);
}

#[test]
fn any_faults_leave_valid_sessions() {
    half();
}

#[test]
fn any_other_faults_leave_valid_sessions() {
    half();
}
