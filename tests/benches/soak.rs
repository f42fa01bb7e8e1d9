//! Tells the story to a thousand sessions, fifty at once, while processes are killed again and again:
//! `scripts/postgres cargo bench -p picoflow-tests --bench soak -- [memory|sqlite|postgres] [SESSIONS] [AT_ONCE] [SECONDS]`.
#![expect(clippy::print_stdout, reason = "it is a program")]

use picoflow::BoxError;
use picoflow_tests::{
    soak::{Place, Size, run},
    teller::Program,
};
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // Cargo adds an option of its own.
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let number = |place: usize, default: &str| args.get(place).map_or(default, |it| it).parse();
    let (sessions, at_once) = (number(1, "1000")?, number(2, "50")?);
    let seconds = args.get(3).map(|seconds| seconds.parse()).transpose()?;
    let asked = args.first().map(String::as_str);
    for store in ["memory", "sqlite", "postgres"] {
        if asked.is_some_and(|asked| asked != store) {
            continue;
        }
        let directory = tempfile::tempdir()?;
        let processes = |store, count| {
            let storyteller = env!("CARGO_BIN_EXE_storyteller").into();
            let effects = directory.path().join("effects");
            Place::Processes(Program { storyteller, store, effects }, count)
        };
        let place = match store {
            "memory" => Place::Memory,
            "sqlite" => {
                processes(directory.path().join("sessions.sqlite").display().to_string(), 1)
            }
            _ => match postgres().await? {
                Some(url) => processes(url, 2),
                None => continue,
            },
        };
        // About ten kills each.
        let seconds = seconds.unwrap_or(if store == "memory" { 0.05 } else { 0.5 });
        let size = Size { sessions, at_once, kill_after: Duration::from_secs_f64(seconds) };
        println!("{store}: {}", run(&place, size).await?);
    }
    Ok(())
}

/// A schema on the server that `scripts/postgres` starts.
#[cfg(feature = "postgres")]
async fn postgres() -> Result<Option<String>, BoxError> {
    let Ok(url) = std::env::var("PICOFLOW_TEST_POSTGRES_URL") else {
        println!("postgres: not without `scripts/postgres`");
        return Ok(None);
    };
    Ok(Some(picoflow_tests::open::schema(&url).await?.1))
}

#[cfg(not(feature = "postgres"))]
async fn postgres() -> Result<Option<String>, BoxError> {
    Ok(None)
}
