//! Tells the story to many sessions in one directory, and goes on where an earlier process was killed.
//!
//! `storyteller DIRECTORY SESSIONS AT_ONCE [CALL before|after]` keeps sessions, effects and the turns that were answered in
//! the directory. With a call, it says `here` when it comes to that one and waits to be killed. It says `told` at the end.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use picoflow::{BoxError, SqliteStore};
use picoflow_tests::{
    faults::{Fault, Faults, Kind, Moment},
    lines::Lines,
    story::{self, Answers},
};
use std::{collections::HashMap, fs, future::pending, path::Path, sync::Arc, time::Duration};

/// The file of the turns that were answered: a session and a time in each line.
struct Answered {
    lines: Lines,
    known: HashMap<String, usize>,
}

impl Answered {
    fn open(path: &Path) -> Result<Self, BoxError> {
        let mut known = HashMap::new();
        for line in fs::read_to_string(path).unwrap_or_default().lines() {
            let session = line.split('\t').next().unwrap_or_default();
            *known.entry(session.to_owned()).or_default() += 1;
        }
        Ok(Self { lines: Lines::open(path)?, known })
    }
}

impl Answers for Answered {
    fn count(&self, session: &str) -> usize {
        self.known.get(session).copied().unwrap_or(0)
    }

    fn add(&self, session: &str, took: Duration) -> Result<(), BoxError> {
        self.lines.add(&format!("{session}\t{}", took.as_micros()))
    }
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
    let answers = Answered::open(&file("answers"))?;
    tokio::select! {
        told = story::tell_all(&engine, &answers, sessions.parse()?, at_once.parse()?) => told?,
        () = faults.death() => {
            println!("here");
            pending::<()>().await;
        }
    };
    println!("told");
    Ok(())
}
