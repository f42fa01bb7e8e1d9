//! The allocations of every row. It is a program of its own so that no row pays for being counted while it is timed.

use peers_bench::rows;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use tokio::{runtime, task::unconstrained};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How often each row is done.
const TIMES: u16 = 512;

fn main() {
    let runtime = runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(unconstrained(async {
        for mut row in rows().await {
            // What is allocated once and kept is not what a call costs.
            row.work.prepare(usize::from(TIMES)).await;
            row.work.run(usize::from(TIMES)).await;
            row.work.prepare(usize::from(TIMES)).await;
            let region = Region::new(GLOBAL);
            row.work.run(usize::from(TIMES)).await;
            let change = region.change();
            let count = change.allocations + change.reallocations;
            println!(
                "{}",
                json!({
                    "case": row.case,
                    "contender": row.contender,
                    "value": per_run(count),
                    "bytes": per_run(change.bytes_allocated),
                })
            );
        }
    }));
}

#[expect(clippy::cast_precision_loss, reason = "a count is far below 2^52")]
fn per_run(count: usize) -> f64 {
    count as f64 / f64::from(TIMES)
}
