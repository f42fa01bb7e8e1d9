//! Tells the story to many sessions in one directory, and goes on where an earlier process was killed.
//!
//! `storyteller DIRECTORY SESSIONS AT_ONCE [CALL before|after]` keeps sessions, effects and the turns that were answered in
//! the directory. With a call, it says `here` when it comes to that one and waits to be killed. It says `told` at the end.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use futures_util::{StreamExt, stream};
use picoflow::{BoxError, Engine, SqliteStore};
use picoflow_tests::{
    faults::{Fault, Faults, Kind, Ledger, Moment},
    story::{self, TURNS},
};
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    future::pending,
    io::Write,
    path::Path,
    sync::Arc,
};

/// A file of lines that are there or not, never in part.
struct Lines(File);

impl Lines {
    fn open(path: &Path) -> Result<Self, BoxError> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    fn add(&self, line: &str) -> Result<(), BoxError> {
        Ok((&self.0).write_all(format!("{line}\n").as_bytes())?)
    }
}

impl Ledger for Lines {
    fn note(&self, key: &str, effect: &str) -> Result<(), BoxError> {
        self.add(&format!("{key}\t{effect}"))
    }
}

/// How many turns of each session were answered.
fn answered(path: &Path) -> HashMap<String, usize> {
    let lines = fs::read_to_string(path).unwrap_or_default();
    let mut answered = HashMap::new();
    for line in lines.lines() {
        *answered.entry(line.to_owned()).or_default() += 1;
    }
    answered
}

async fn tell(
    engine: &Engine,
    answers: &Lines,
    session: &str,
    first: usize,
) -> Result<(), BoxError> {
    for number in first..TURNS.len() {
        engine.run(story::turn(session, number)).await?;
        answers.add(session)?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let (directory, sessions, at_once, fault) = match &*args {
        [directory, sessions, at_once] => (directory, sessions, at_once, None),
        [directory, sessions, at_once, at, moment] => {
            let moment = if moment == "before" { Moment::Before } else { Moment::After };
            let fault = Fault { at: at.parse()?, moment, kind: Kind::Death };
            (directory, sessions, at_once, Some(fault))
        }
        _ => return Err("usage: storyteller DIRECTORY SESSIONS AT_ONCE [CALL before|after]".into()),
    };
    let file = |name| Path::new(directory).join(name);
    let faults = Faults::new(fault);
    let store = Arc::new(SqliteStore::open(file("sessions.sqlite")).await?);
    let ledger = Arc::new(Lines::open(&file("effects"))?);
    let engine = story::builder(store, ledger, &faults).build().await?;
    let (answered, answers) = (answered(&file("answers")), Lines::open(&file("answers"))?);

    let telling = stream::iter(0..sessions.parse::<usize>()?).map(|number| {
        let session = story::session(number);
        let first = answered.get(&session).copied().unwrap_or(0);
        let (engine, answers) = (&engine, &answers);
        async move { tell(engine, answers, &session, first).await }
    });
    let telling = telling.buffer_unordered(at_once.parse()?).collect::<Vec<_>>();
    tokio::select! {
        results = telling => results.into_iter().collect::<Result<Vec<_>, _>>()?,
        () = faults.death() => {
            println!("here");
            pending().await
        }
    };
    println!("told");
    Ok(())
}
