//! The small form of `tests/benches/soak.rs`.

use picoflow_tests::{
    soak::{Place, Report, Size, run},
    teller::Program,
};
use std::time::Duration;

const SESSIONS: usize = 50;

async fn soak(place: Place, kill_after: Duration) -> Report {
    let size = Size { sessions: SESSIONS, at_once: 10, kill_after };
    let report = run(&place, size).await.unwrap();
    println!("{report}");
    assert_eq!(report.turns, 10 * SESSIONS);
    assert!(report.kills > 0);
    report
}

async fn soak_processes(store: &str, count: usize, kill_after: Duration) -> Report {
    let directory = tempfile::tempdir().unwrap();
    let program = Program {
        storyteller: env!("CARGO_BIN_EXE_storyteller").into(),
        store: store.to_owned(),
        effects: directory.path().join("effects"),
    };
    soak(Place::Processes(program, count), kill_after).await
}

#[tokio::test]
async fn a_crowd_whose_engine_is_killed_again_and_again_loses_and_doubles_nothing_in_memory() {
    soak(Place::Memory, Duration::from_millis(20)).await;
}

#[tokio::test]
async fn a_crowd_whose_process_is_killed_again_and_again_loses_and_doubles_nothing_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    soak_processes(store.to_str().unwrap(), 1, Duration::from_millis(150)).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_crowd_with_two_processes_that_are_killed_in_turn_loses_and_doubles_nothing_on_postgres()
{
    let database = crate::support::Database::new().await;
    let report = soak_processes(database.url(), 2, Duration::from_millis(500)).await;
    assert!(report.raced > 0);
}
