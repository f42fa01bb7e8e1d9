//! The small form of `tests/benches/soak.rs`.

use picoflow_tests::soak::{Place, Report, Size, run};
use std::time::Duration;

const SESSIONS: usize = 50;

async fn soak(place: Place, kill_after: Duration) -> Report {
    let size = Size { sessions: SESSIONS, at_once: 10, kill_after };
    let report = run(&place, size).await.unwrap();
    println!("{place:?}: {report}");
    assert_eq!(report.turns, 10 * SESSIONS);
    report
}

#[tokio::test]
async fn a_crowd_whose_engine_is_killed_again_and_again_loses_and_doubles_nothing_in_memory() {
    let report = soak(Place::Memory, Duration::from_millis(20)).await;
    assert!(report.kills > 0);
}

#[tokio::test]
async fn a_crowd_whose_process_is_killed_again_and_again_loses_and_doubles_nothing_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let place = Place::Sqlite {
        storyteller: env!("CARGO_BIN_EXE_storyteller").into(),
        directory: directory.path().to_owned(),
    };
    let report = soak(place, Duration::from_millis(150)).await;
    assert!(report.kills > 0);
}
