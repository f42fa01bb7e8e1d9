//! A whole turn on a stored session: load, work, write.
//!
//! Each turn has a session of its own, stored beforehand, so that none grows under the measurement. With SQLite the
//! allocations of its own thread are not counted.

use super::{
    runtime,
    sizes::{Kind, Named},
};
use crate::shared::{Ask, BenchFlow, Scripted, conversation, desk};
use divan::Bencher;
use picoflow::{
    Reply, SqliteStore,
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
};
use std::{cell::Cell, sync::Arc};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How many messages the sessions of most cases hold.
const MESSAGES: usize = 10;

/// An engine on a store, and the session that each turn gets a copy of.
struct Office {
    runtime: Runtime,
    store: Arc<dyn SessionStore>,
    engine: Engine,
    session: Session,
    copies: Cell<usize>,
}

impl Office {
    fn new(store: impl SessionStore, messages: usize) -> Self {
        Self::of(desk(), store, messages)
    }

    fn of(flow: BenchFlow, store: impl SessionStore, messages: usize) -> Self {
        let runtime = runtime();
        let store: Arc<dyn SessionStore> = Arc::new(store);
        let engine = Engine::builder().flow(flow).model(Scripted).store(Arc::clone(&store));
        let engine = runtime.block_on(engine.build()).unwrap();
        let session = runtime.block_on(session(&engine, messages));
        Self { runtime, store, engine, session, copies: Cell::new(0) }
    }

    /// A stored copy of the session.
    fn copy(&self) -> Session {
        let at = self.copies.replace(self.copies.get() + 1);
        let mut session = self.session.clone();
        session.id = format!("session_{at:08}");
        self.runtime.block_on(self.store.create(&session)).unwrap();
        session
    }

    fn turn(&self, ask: Ask) -> Turn {
        ask.turn(&self.copy().id)
    }

    fn run(&self, turn: Turn) -> Reply {
        self.runtime.block_on(self.engine.run(turn)).unwrap()
    }

    fn bench(&self, bencher: Bencher<'_, '_>, ask: Ask) {
        assert_eq!(self.run(self.turn(ask)).tools().count(), ask.count());
        bencher.with_inputs(|| self.turn(ask)).bench_local_values(|turn| self.run(turn));
    }
}

/// A session of so many messages, which is not stored any more.
async fn session(engine: &Engine, messages: usize) -> Session {
    let id = conversation(engine, messages).await;
    let session = engine.session(&id).await.unwrap().unwrap();
    engine.delete_session(&id).await.unwrap();
    session
}

/// SQLite in a file; the directory goes with the guard.
fn sqlite() -> (SqliteStore, TempDir) {
    let directory = TempDir::new().unwrap();
    let store = SqliteStore::open(directory.path().join("sessions.sqlite"));
    (runtime().block_on(store).unwrap(), directory)
}

/// The document that a turn of this kind leaves, which has yet to be written.
fn next(office: &Office, ask: Ask) -> Session {
    let copy = office.copy();
    office.run(ask.turn(&copy.id));
    let after = office.runtime.block_on(office.store.load(&copy.id)).unwrap().unwrap();
    office.runtime.block_on(office.store.delete(&copy.id, None)).unwrap();
    office.runtime.block_on(office.store.create(&copy)).unwrap();
    after
}

#[divan::bench(args = Ask::ALL, sample_size = 20)]
fn on_memory(bencher: Bencher<'_, '_>, ask: Ask) {
    Office::new(MemoryStore::new(), MESSAGES).bench(bencher, ask);
}

#[divan::bench(args = Ask::ALL, sample_size = 1)]
fn on_sqlite(bencher: Bencher<'_, '_>, ask: Ask) {
    let (store, _directory) = sqlite();
    Office::new(store, MESSAGES).bench(bencher, ask);
}

/// What the store alone takes of [`on_sqlite`] to write: the same document, saved.
#[divan::bench(args = Ask::ALL, sample_size = 1)]
fn sqlite_save_alone(bencher: Bencher<'_, '_>, ask: Ask) {
    let (store, _directory) = sqlite();
    let office = Office::new(store, MESSAGES);
    bencher.with_inputs(|| next(&office, ask)).bench_local_refs(|session| {
        office.runtime.block_on(office.store.save(session, session.revision - 1)).unwrap();
    });
}

/// What the store alone takes of [`on_sqlite`] to read.
#[divan::bench(sample_size = 1)]
fn sqlite_load_alone(bencher: Bencher<'_, '_>) {
    let (store, _directory) = sqlite();
    let office = Office::new(store, MESSAGES);
    bencher
        .with_inputs(|| office.copy().id)
        .bench_local_refs(|id| office.runtime.block_on(office.store.load(id)).unwrap());
}

/// A turn with one tool call after so many messages.
#[divan::bench(args = [10, 100, 1000], sample_size = 20)]
fn after_messages_on_memory(bencher: Bencher<'_, '_>, messages: usize) {
    Office::new(MemoryStore::new(), messages).bench(bencher, Ask::One);
}

/// A turn with one tool call after so many messages.
#[divan::bench(args = [10, 100, 1000], sample_size = 1)]
fn after_messages_on_sqlite(bencher: Bencher<'_, '_>, messages: usize) {
    let (store, _directory) = sqlite();
    Office::new(store, messages).bench(bencher, Ask::One);
}

/// A reply in text in a step that offers so many tools.
#[divan::bench(args = [10, 200, 2000], sample_size = 20)]
fn beside_tools_on_memory(bencher: Bencher<'_, '_>, tools: usize) {
    Office::of(Named::flow(tools), MemoryStore::new(), MESSAGES).bench(bencher, Ask::Text);
}
