//! Many live sessions at once: turns per second, and the memory of the process.
//!
//! Each session is made by turns, until it holds twenty messages. Fails when ten thousand of them take 1 GiB or more.
//! Takes no filter and no options: see `benches/README.md`.
#![expect(clippy::print_stdout, reason = "it is what the bench is for")]
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot set its case up has nothing to measure"
)]

#[path = "shared.rs"]
mod shared;

use memory_stats::memory_stats;
use picoflow::{prelude::*, session::MemoryStore};
use shared::{Ask, Scripted, conversation, desk};
use std::time::{Duration, Instant};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

/// How many messages each session holds: two of each turn.
const MESSAGES: usize = 20;

/// What all sessions of the largest case may take.
const MOST_BYTES: usize = 1 << 30;

/// How many turns a rate is the mean of, at least.
const TURNS: usize = 10_000;

fn main() {
    println!("sessions   turns/s, in turn   turns/s, at once       resident    per session");
    for count in [1, 100, 10_000] {
        let resident = measure(count);
        assert!(resident < MOST_BYTES, "{count} sessions take {resident} bytes");
    }
}

/// Prints a line; returns by how many bytes the process has grown for these sessions.
fn measure(count: usize) -> usize {
    let one = Builder::new_current_thread().enable_all().build().unwrap();
    let all = Builder::new_multi_thread().enable_all().build().unwrap();
    let before = resident();
    let office = one.block_on(Office::open(count));
    let grown = resident().saturating_sub(before);
    // Turns make a session longer, so every session has one, and it takes new sessions to have more of them.
    let rounds = TURNS.div_ceil(count);
    let mut in_turn = office.one_by_one(&one);
    for _ in 1..rounds {
        in_turn += one.block_on(Office::open(count)).one_by_one(&one);
    }
    let mut at_once = Duration::ZERO;
    for _ in 0..rounds {
        at_once += one.block_on(Office::open(count)).all_at_once(&all);
    }
    println!(
        "{count:>8}   {:>16.0}   {:>16.0}   {:>8} KiB   {:>6} bytes",
        rate(rounds * count, in_turn),
        rate(rounds * count, at_once),
        grown >> 10,
        grown / count
    );
    grown
}

fn resident() -> usize {
    memory_stats().unwrap().physical_mem
}

#[expect(clippy::cast_precision_loss, reason = "a rate is rounded anyway")]
fn rate(turns: usize, took: Duration) -> f64 {
    turns as f64 / took.as_secs_f64()
}

/// An engine and its sessions.
struct Office {
    engine: Engine,
    sessions: Vec<String>,
}

impl Office {
    async fn open(count: usize) -> Self {
        let engine = Engine::builder().flow(desk()).model(Scripted).store(MemoryStore::new());
        let engine = engine.build().await.unwrap();
        let mut sessions = Vec::with_capacity(count);
        for _ in 0..count {
            sessions.push(conversation(&engine, MESSAGES).await);
        }
        Self { engine, sessions }
    }

    /// A turn with a tool call on each session, on one thread, one after the other.
    fn one_by_one(self, runtime: &Runtime) -> Duration {
        runtime.block_on(async {
            let start = Instant::now();
            for id in &self.sessions {
                self.engine.run(Ask::One.turn(id)).await.unwrap();
            }
            start.elapsed()
        })
    }

    /// A turn with a tool call on each session, all started before any is waited for, on all cores.
    fn all_at_once(self, runtime: &Runtime) -> Duration {
        runtime.block_on(async {
            let start = Instant::now();
            let mut turns = JoinSet::new();
            for id in &self.sessions {
                let (engine, turn) = (self.engine.clone(), Ask::One.turn(id));
                turns.spawn(async move { engine.run(turn).await.unwrap() });
            }
            while let Some(done) = turns.join_next().await {
                assert_eq!(done.unwrap().tools().count(), Ask::One.count());
            }
            start.elapsed()
        })
    }
}
