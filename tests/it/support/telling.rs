//! The story as the tests tell it: a store and a ledger that stay, engines that come and go.

use picoflow::{
    Engine, Reply,
    prelude::*,
    session::{MemoryStore, Session, SessionQuery, SessionStore, check_history},
};
use picoflow_tests::{
    faults::{Fault, Faults, Ledger, Place, Rows},
    story::{self, TURNS},
};
use std::{
    collections::BTreeMap, future::poll_fn, pin::Pin, sync::Arc, task::Poll, time::Duration,
};
use tokio::time::timeout;

pub(crate) const SESSION: &str = "b7f0f6a2-0d7c-4f0e-9f27-000000000000";

/// What the story is without faults.
pub(crate) struct Told {
    /// The session after each turn.
    pub(crate) sessions: Vec<Value>,
    pub(crate) texts: Vec<String>,
    pub(crate) effects: BTreeMap<String, String>,
    pub(crate) calls: Vec<Place>,
    /// How many calls there were before each turn, and at the end of the last.
    pub(crate) starts: Vec<usize>,
}

/// One telling.
pub(crate) struct Telling {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) rows: Arc<Rows>,
    pub(crate) faults: Faults,
    pub(crate) engine: Engine,
}

/// How an attempt ended.
pub(crate) enum Ended {
    Replied(Reply),
    Failed(&'static str),
    Died,
}

impl Telling {
    pub(crate) async fn new(fault: Option<Fault>) -> Self {
        let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
        let (rows, faults) = (Arc::new(Rows::default()), Faults::new(fault));
        let engine = build(&store, &rows, &faults).await;
        Self { store, rows, faults, engine }
    }

    pub(crate) async fn stored(&self) -> Option<Session> {
        let session = self.store.load(SESSION).await.unwrap();
        if let Some(session) = &session {
            check_history(session).unwrap();
        }
        session
    }

    /// One attempt at a turn. A process that dies is followed by another one.
    pub(crate) async fn attempt(&mut self, number: usize) -> Ended {
        let ended = tokio::select! {
            result = self.engine.run(story::turn(SESSION, number)) => match result {
                Ok(reply) => Ended::Replied(reply),
                Err(error) => Ended::Failed(error.code()),
            },
            () = self.faults.death() => Ended::Died,
        };
        if matches!(ended, Ended::Died) {
            self.engine = build(&self.store, &self.rows, &self.faults).await;
        }
        ended
    }

    /// What comes after the conversation: the list, and the end of the session.
    pub(crate) async fn close(&mut self) {
        let hour = Duration::from_hours(1);
        let query = SessionQuery::default();
        for _ in 0..3 {
            let listed = tokio::select! {
                listed = timeout(hour, self.engine.sessions(&query)) => listed.ok().and_then(Result::ok),
                () = self.faults.death() => None,
            };
            if let Some(listed) = listed {
                assert_eq!(listed.len(), 1);
                break;
            }
        }
        for _ in 0..3 {
            let deleted = tokio::select! {
                deleted = timeout(hour, self.engine.delete_session(SESSION)) => deleted.is_ok_and(|done| done.is_ok()),
                () = self.faults.death() => false,
            };
            if deleted {
                break;
            }
        }
        assert_eq!(self.stored().await, None);
    }

    pub(crate) fn effects(&self) -> BTreeMap<String, String> {
        let mut effects = BTreeMap::new();
        for (key, effect) in self.rows.all() {
            let known = effects.entry(key.clone()).or_insert_with(|| effect.clone());
            assert_eq!(*known, effect, "one key for two effects: {key}");
        }
        effects
    }
}

async fn build(store: &Arc<dyn SessionStore>, rows: &Arc<Rows>, faults: &Faults) -> Engine {
    let rows: Arc<dyn Ledger> = Arc::<Rows>::clone(rows);
    story::builder(Arc::clone(store), rows, faults).build().await.unwrap()
}

/// Tells the story without a fault.
pub(crate) async fn tell() -> Told {
    let mut telling = Telling::new(None).await;
    let (mut sessions, mut texts, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for number in 0..TURNS.len() {
        match telling.attempt(number).await {
            Ended::Replied(reply) => texts.push(reply.text),
            Ended::Failed(code) => panic!("turn {number}: {code}"),
            Ended::Died => unreachable!(),
        }
        let session = telling.stored().await.unwrap();
        assert_eq!(session.error, []);
        assert_eq!(session.warn, []);
        sessions.push(story::essence(&session).unwrap());
        starts.push(telling.faults.calls().len());
    }
    let rows = telling.rows.all();
    let effects = telling.effects();
    assert_eq!(rows.len(), effects.len(), "each effect has a key of its own: {rows:?}");
    telling.close().await;
    Told { sessions, texts, effects, calls: telling.faults.calls(), starts }
}

/// Polls so many times. Returns what came out, if it has.
pub(crate) async fn polled<F: Future>(mut work: Pin<&mut F>, times: usize) -> Option<F::Output> {
    let mut left = times;
    poll_fn(|cx| {
        let Some(less) = left.checked_sub(1) else {
            return Poll::Ready(None);
        };
        left = less;
        match work.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
