//! The CPU time of every row. All rows take turns, so that the noise of the machine hits all alike.

use cpu_time::ProcessTime;
use peers_bench::{Row, rows};
use serde_json::json;
use std::time::Duration;
use tokio::{runtime, task::unconstrained};

/// How often each row is measured.
const SAMPLES: usize = 21;

/// What one sample should take at least.
const SAMPLE: Duration = Duration::from_millis(10);

fn main() {
    let runtime = runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(unconstrained(async {
        let mut rows = rows().await;
        let mut samples = vec![Vec::new(); rows.len()];
        let mut times = Vec::new();
        for row in &mut rows {
            times.push(enough(row).await);
        }
        for _ in 0..SAMPLES {
            for ((row, samples), times) in rows.iter_mut().zip(&mut samples).zip(&times) {
                samples.push(per_run(measure(row, *times).await, *times));
            }
        }
        for (row, mut samples) in rows.into_iter().zip(samples) {
            samples.sort_by(f64::total_cmp);
            let at = |part: usize| samples[(SAMPLES - 1) * part / 4];
            println!(
                "{}",
                json!({
                    "case": row.case,
                    "contender": row.contender,
                    "value": at(2),
                    "quartiles": [at(1), at(3)],
                })
            );
        }
    }));
}

/// The CPU time of this process, other threads included, should a contender hand work to one.
async fn measure(row: &mut Row, times: usize) -> Duration {
    row.work.prepare(times).await;
    let start = ProcessTime::now();
    row.work.run(times).await;
    start.elapsed()
}

/// How often to do it for one sample.
async fn enough(row: &mut Row) -> usize {
    let mut times = 1;
    while measure(row, times).await < SAMPLE {
        times *= 2;
    }
    times
}

#[expect(clippy::cast_precision_loss, reason = "a sample is far below 2^52 nanoseconds")]
fn per_run(taken: Duration, times: usize) -> f64 {
    taken.as_nanos() as f64 / times as f64
}
