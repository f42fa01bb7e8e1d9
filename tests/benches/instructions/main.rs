//! How many instructions dispatch and a turn take, held against `benches/instructions.json`.
//!
//! The bench starts itself under valgrind, for each case with so many iterations and with twice as many: the difference
//! is what the iterations take, without the start and the set-up. Everything runs on one thread, on a fixed clock and
//! fixed ids. What still differs from run to run is the seed of hash maps, by far less than the 5 % that are allowed.
//!
//! Counts depend on the toolchain, the C library and valgrind: a new baseline goes with a change of these too.
#![expect(clippy::print_stdout, reason = "it is what the bench is for")]
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

mod cases;
mod host;

use cases::Case;
use serde_json::{Map, Value};
use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};
use tempfile::TempDir;

const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.json");

/// The part of the baseline that this build is held against.
const BUILD: &str = if cfg!(feature = "validate") { "validate" } else { "without validate" };

/// By how many percent a count may grow.
const TOLERANCE: u64 = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["run", case, iterations] => {
            Case::named(case).run(iterations.parse().unwrap());
            ExitCode::SUCCESS
        }
        // `cargo bench` adds `--bench`.
        [] | ["--bench"] => compare(&counted()),
        ["--bless"] | ["--bless", "--bench"] => {
            bless(counted());
            ExitCode::SUCCESS
        }
        _ => {
            println!(
                "usage: cargo bench --package picoflow-tests --bench instructions [-- --bless]"
            );
            ExitCode::FAILURE
        }
    }
}

/// The count of each case, by name.
fn counted() -> Vec<(&'static str, u64)> {
    Case::ALL.map(|case| (case.name(), count(case))).into()
}

/// The instructions of one iteration.
fn count(case: Case) -> u64 {
    let iterations = case.iterations();
    (total(case, 2 * iterations) - total(case, iterations)) / iterations
}

/// The instructions of a whole process.
fn total(case: Case, iterations: u64) -> u64 {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("callgrind.out");
    // Nothing from outside: not even the size of the environment.
    let status = Command::new("valgrind")
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(env::current_exe().unwrap())
        .args(["run", case.name(), &iterations.to_string()])
        .status()
        .expect("valgrind, which `scripts/instructions` installs");
    assert!(status.success(), "{status}");
    summary(&file)
}

/// The sum at the end of callgrind's file.
fn summary(file: &Path) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    let totals = text.lines().find_map(|line| line.strip_prefix("totals: "));
    totals.unwrap().trim().parse().unwrap()
}

fn baseline() -> Map<String, Value> {
    serde_json::from_str(&fs::read_to_string(BASELINE).unwrap_or_else(|_| "{}".to_owned())).unwrap()
}

fn bless(counts: Vec<(&'static str, u64)>) {
    let mut baseline = baseline();
    let counts: Map<_, _> =
        counts.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
    baseline.insert(BUILD.to_owned(), counts.into());
    baseline.sort_keys();
    let text = serde_json::to_string_pretty(&baseline).unwrap();
    println!("{text}");
    fs::write(BASELINE, text + "\n").unwrap();
}

fn compare(counts: &[(&'static str, u64)]) -> ExitCode {
    let baseline = baseline();
    println!("instructions per iteration, {BUILD}");
    let mut code = ExitCode::SUCCESS;
    for &(name, count) in counts {
        let before = baseline.get(BUILD).and_then(|build| build.get(name)).and_then(Value::as_u64);
        let verdict = match before {
            None => "no baseline: `scripts/instructions --bless`",
            Some(before) if count * 100 > before * (100 + TOLERANCE) => {
                "grew: make it cheaper, or commit a new baseline with the reason (`scripts/instructions --bless`)"
            }
            Some(before) if count * (100 + TOLERANCE) < before * 100 => {
                println!(
                    "{name:<16} {count:>8}, was {before}: it shrank, keep it so (`scripts/instructions --bless`)"
                );
                continue;
            }
            Some(before) => {
                println!("{name:<16} {count:>8}, was {before}");
                continue;
            }
        };
        println!("{name:<16} {count:>8}, was {}: {verdict}", before.unwrap_or_default());
        code = ExitCode::FAILURE;
    }
    code
}
