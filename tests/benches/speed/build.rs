//! Building an engine, and listing what a step offers.

use super::{
    runtime,
    sizes::{Kind, Named, Typed, engine},
};
use crate::shared::Scripted;
use divan::{Bencher, black_box};
use picoflow::prelude::*;

#[divan::bench(types = [Named, Typed], args = [10, 200, 2000])]
fn engine_of_so_many_tools<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    let runtime = runtime();
    bencher
        .with_inputs(|| Engine::builder().flow(K::flow(size)).model(Scripted))
        .bench_local_values(|builder| runtime.block_on(builder.build()).unwrap());
}

/// The definitions of a step, by reference, each one looked at.
#[divan::bench(args = [10, 200, 2000])]
fn list_definitions(bencher: Bencher<'_, '_>, size: usize) {
    let engine = runtime().block_on(engine(Named::flow(size)));
    let step = engine.flows().next().and_then(|flow| flow.steps().next()).unwrap();
    assert_eq!(step.tools().len(), size);
    bencher.bench_local(|| {
        let tools = black_box(step).tools();
        tools.map(|tool| tool.name().len() + tool.description().len()).sum::<usize>()
    });
}
