//! One call or one reply, from its name and its argument text to what the handler returned.
//!
//! Futures are polled without an executor, since none of them waits: what is measured is dispatch alone.

use super::{
    runtime,
    sizes::{Kind, Named, SIZES, Typed, above, derived, harness},
};
use crate::shared::{BenchFlow, call, calls};
use divan::{Bencher, black_box};
use futures_util::FutureExt;
use picoflow::{StepHarness, prelude::*};

/// Calls one tool of the only step of `flow`.
fn call_one(bencher: Bencher<'_, '_>, flow: BenchFlow, call: &ToolCall) {
    let runtime = runtime();
    let mut step = runtime.block_on(harness(flow));
    let _timers = runtime.enter();
    let _response = step.call(call).now_or_never().unwrap().unwrap().unwrap();
    bencher.bench_local(|| step.call(black_box(call)).now_or_never());
}

/// Makes a call that is refused; its warning is taken, or the warnings would pile up.
fn call_refused(bencher: Bencher<'_, '_>, flow: BenchFlow, call: &ToolCall) {
    let runtime = runtime();
    let mut step = runtime.block_on(harness(flow));
    let _timers = runtime.enter();
    step.call(call).now_or_never().unwrap().unwrap().unwrap_err();
    bencher.bench_local(|| (step.call(black_box(call)).now_or_never(), step.take_warnings()));
}

/// Gives a reply of these calls; its events are taken, or they would pile up.
fn reply(bencher: Bencher<'_, '_>, flow: BenchFlow, calls: &[ToolCall], handlers: usize) {
    let runtime = runtime();
    let mut step = runtime.block_on(harness(flow));
    let _timers = runtime.enter();
    assert_eq!(run(&mut step, calls.to_vec()), handlers);
    bencher
        .with_inputs(|| calls.to_vec())
        .bench_local_values(|calls| (run(&mut step, calls), step.take_warnings()));
}

/// Returns how many handlers ran.
fn run(step: &mut StepHarness, calls: Vec<ToolCall>) -> usize {
    step.reply(calls).now_or_never().unwrap().unwrap().responses.len()
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn hit_first<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    call_one(bencher, K::flow(size), &call("tool_0000"));
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn hit_last<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    call_one(bencher, K::flow(size), &call(&format!("tool_{:04}", size - 1)));
}

#[divan::bench(args = [10, 200, 2000])]
fn alias(bencher: Bencher<'_, '_>, size: usize) {
    call_one(bencher, above::<Named>(size), &call("alias"));
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn through_three_bases<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    call_one(bencher, derived::<K>(size), &call("tool_0000"));
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn unknown_tool<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    call_refused(bencher, K::flow(size), &call("tool_x"));
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn invalid_arguments<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    let call = ToolCall::from_text("call_1", "tool_0000", r#"{"a":2,"b":"forty"}"#);
    call_refused(bencher, K::flow(size), &call);
}

#[divan::bench(types = [Named, Typed], args = SIZES)]
fn reply_of_one_call<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    reply(bencher, K::flow(size), &calls(1), 1);
}

#[divan::bench(types = [Named, Typed], args = [10, 200, 2000])]
fn reply_of_eight_calls<K: Kind>(bencher: Bencher<'_, '_>, size: usize) {
    reply(bencher, K::flow(size), &calls(8), 8);
}

#[divan::bench(args = [10, 200, 2000])]
fn group_of_one(bencher: Bencher<'_, '_>, size: usize) {
    reply(bencher, above::<Named>(size), &calls(1), 1);
}

#[divan::bench(args = [10, 200, 2000])]
fn group_of_two(bencher: Bencher<'_, '_>, size: usize) {
    reply(bencher, above::<Named>(size), &calls(2), 1);
}

#[divan::bench(args = [10, 200, 2000])]
fn group_of_eight(bencher: Bencher<'_, '_>, size: usize) {
    reply(bencher, above::<Named>(size), &calls(8), 1);
}
