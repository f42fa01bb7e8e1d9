//! Times and allocations of dispatch, listing, building and whole turns: see `benches/README.md` for the commands.
#![expect(clippy::large_stack_arrays, reason = "the rows of two thousand tools are constants")]
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot set its case up has nothing to measure"
)]

#[path = "../shared.rs"]
#[macro_use]
mod shared;
#[path = "../typed.rs"]
#[macro_use]
mod typed;

mod build;
mod dispatch;
mod names;
mod sizes;
mod turn;

use divan::AllocProfiler;
use tokio::runtime::{Builder, Runtime};

/// Counts; the times include the counting, some nanoseconds for each allocation.
#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// All on the thread that measures, so that its allocations are counted.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
