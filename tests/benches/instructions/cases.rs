//! What is counted.

use crate::{
    host::Fixed,
    shared::{Ask, BenchFlow, Named10, Scripted, call, conversation, desk},
    typed::Typed10,
};
use futures_util::FutureExt;
use picoflow::{StepHarness, prelude::*, session::MemoryStore};
use std::hint::black_box;
use tokio::runtime::{Builder, Runtime};

/// How many messages a session holds before its turn.
const MESSAGES: usize = 10;

#[derive(Clone, Copy)]
pub(crate) enum Case {
    /// A call of one of ten tools with named parameters.
    Named,
    /// A call of one of ten tools with `Args`.
    Typed,
    /// A turn with one tool call, on the memory store.
    Turn,
}

impl Case {
    pub(crate) const ALL: [Self; 3] = [Self::Named, Self::Typed, Self::Turn];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Named => "dispatch, named",
            Self::Typed => "dispatch, Args",
            Self::Turn => "turn",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|case| case.name() == name).unwrap()
    }

    /// Enough that what happens now and then, such as a vector that grows, spreads out.
    pub(crate) const fn iterations(self) -> u64 {
        match self {
            Self::Named | Self::Typed => 2000,
            Self::Turn => 200,
        }
    }

    pub(crate) fn run(self, iterations: u64) {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        match self {
            Self::Named => dispatch(&runtime, Steps::new().add(Named10), iterations),
            Self::Typed => dispatch(&runtime, Steps::new().add(Typed10), iterations),
            Self::Turn => turns(&runtime, 2 * self.iterations(), iterations),
        }
    }
}

fn engine(runtime: &Runtime, flow: BenchFlow) -> Engine {
    let engine = Engine::builder().flow(flow).model(Scripted).store(MemoryStore::new());
    runtime.block_on(engine.host(Fixed::default()).build()).unwrap()
}

/// Polls without an executor, since nothing waits.
fn dispatch(runtime: &Runtime, steps: Steps, iterations: u64) {
    let engine = engine(runtime, BenchFlow(steps));
    let step = engine.flows().next().and_then(|flow| flow.steps().next()).unwrap();
    let mut step = StepHarness::new(&engine, BenchFlow::ID, step.id()).unwrap();
    let _timers = runtime.enter();
    let call = call("tool_0009");
    for _ in 0..iterations {
        let result = step.call(black_box(&call)).now_or_never().unwrap().unwrap();
        let _response = black_box(result.unwrap());
    }
}

/// Turns on `iterations` of the `count` sessions that are stored, so that the set-up is the same for any number.
fn turns(runtime: &Runtime, count: u64, iterations: u64) {
    let engine = engine(runtime, desk());
    let sessions: Vec<_> =
        (0..count).map(|_| runtime.block_on(conversation(&engine, MESSAGES))).collect();
    for id in sessions.iter().zip(0..iterations).map(|(id, _)| id) {
        let reply = runtime.block_on(engine.run(Ask::One.turn(id))).unwrap();
        assert_eq!(black_box(reply).tools().count(), Ask::One.count());
    }
}
