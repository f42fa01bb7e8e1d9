//! `replay`: a recorded conversation against the flows of today.

use super::{Ended, words::words};
use crate::{Engine, testing::Replay};
use std::{
    io::{Write, stdout},
    path::Path,
    process::ExitCode,
};

pub(super) async fn replay(engine: &Engine, file: &Path) -> Ended {
    let name = file.display();
    let replay = Replay::open(file).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    let (text, code) = match replay.run(engine).await {
        Ok(()) => (format!("{name}: as recorded\n"), ExitCode::SUCCESS),
        Err(difference) => (format!("{name}: {}\n", words(&difference)), ExitCode::FAILURE),
    };
    stdout().write_all(text.as_bytes())?;
    Ok(code)
}
