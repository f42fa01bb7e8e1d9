//! Tells the story to a thousand sessions, fifty at once, while the process is killed every few seconds:
//! `cargo bench -p picoflow-tests --bench soak -- [memory|sqlite] [SESSIONS] [AT_ONCE] [SECONDS]`.
#![expect(clippy::print_stdout, reason = "it is a program")]

use picoflow::BoxError;
use picoflow_tests::soak::{Place, Size, run};
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    // Cargo adds an option of its own.
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let number = |place: usize, default: &str| args.get(place).map_or(default, |it| it).parse();
    let size = Size {
        sessions: number(1, "1000")?,
        at_once: number(2, "50")?,
        kill_after: Duration::from_secs(u64::try_from(number(3, "3")?)?),
    };
    let asked = args.first().map(String::as_str);
    for store in ["memory", "sqlite"] {
        if asked.is_some_and(|asked| asked != store) {
            continue;
        }
        let directory = tempfile::tempdir()?;
        let place = match store {
            "memory" => Place::Memory,
            _ => Place::Sqlite {
                storyteller: env!("CARGO_BIN_EXE_storyteller").into(),
                directory: directory.path().to_owned(),
            },
        };
        println!("{store}: {}", run(&place, size).await?);
    }
    Ok(())
}
