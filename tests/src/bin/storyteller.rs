//! One of the processes that tell the story: it runs the turns that it is sent, all at once, until its input ends.
//!
//! `storyteller STORE EFFECTS` keeps sessions in a [store](picoflow_tests::open::open) and effects in a file. It reads lines:
//! `turn SESSION NUMBER`, which it answers with `told SESSION NUMBER new|again TEXT` or with a failure, and
//! `strike CALL before|after`, which counts calls from there on, says `here` at that one, and leaves its turn waiting for a
//! kill; `strike` alone takes that back.
#![expect(clippy::print_stdout, reason = "its callers read it")]

use picoflow::{BoxError, Engine};
use picoflow_tests::{
    faults::{Fault, Faults, Kind, Moment},
    lines::Lines,
    open::open,
    story,
};
use std::{io::stdin, path::Path, sync::Arc, thread};
use tokio::sync::mpsc;

async fn turn(engine: Engine, session: usize, number: usize) {
    match engine.run(story::turn(&story::session(session), number)).await {
        Ok(reply) => {
            let how = if reply.replayed { "again" } else { "new" };
            println!("told {session} {number} {how} {}", reply.text);
        }
        Err(error) => println!("failed {session} {number} {} {error}", error.code()),
    }
}

/// Does what a line says.
fn act(line: &str, engine: &Engine, faults: &Faults) -> Result<(), BoxError> {
    match *line.split(' ').collect::<Vec<_>>() {
        ["turn", session, number] => {
            tokio::spawn(turn(engine.clone(), session.parse()?, number.parse()?));
        }
        ["strike", call, moment] => {
            let moment = if moment == "before" { Moment::Before } else { Moment::After };
            faults.arm(Fault { at: call.parse()?, moment, kind: Kind::Death });
        }
        ["strike"] => faults.arm(None),
        _ => return Err(format!("`{line}`?").into()),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut args = std::env::args().skip(1);
    let (Some(store), Some(effects)) = (args.next(), args.next()) else {
        return Err("usage: storyteller STORE EFFECTS".into());
    };
    let faults = Faults::new(None);
    let ledger = Lines::open(Path::new(&effects))?;
    let engine = story::builder(open(&store).await?, Arc::new(ledger), &faults).build().await?;
    let (sender, mut lines) = mpsc::unbounded_channel();
    thread::spawn(move || stdin().lines().map_while(Result::ok).try_for_each(|it| sender.send(it)));
    loop {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => act(&line, &engine, &faults)?,
                None => return Ok(()),
            },
            () = faults.death() => println!("here"),
        }
    }
}
