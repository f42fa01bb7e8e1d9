//! Two processes on one session of one store.

use picoflow::{
    SqliteStore,
    session::{SessionStore, check_history},
};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

struct Racer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Racer {
    fn start(store: &str, session: &str, name: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_racing_turn"))
            .args([store, session, name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn release(&mut self) {
        self.input.write_all(b"\n").unwrap();
    }

    fn end(mut self) -> String {
        let outcome = self.line();
        assert!(self.process.wait().unwrap().success());
        outcome
    }
}

/// Of two turns on one session exactly one is stored whole, and the other is told.
async fn race(place: &str, store: impl SessionStore, rounds: usize) {
    let mut first = Racer::start(place, "-", "opening");
    assert_eq!(first.line(), "ready");
    first.release();
    let outcome = first.end();
    let session = outcome.strip_prefix("ok ").unwrap().to_owned();

    let (mut wins_of_a, mut wins_of_b) = (0, 0);
    for round in 0..rounds {
        let before = store.load(&session).await.unwrap().unwrap();
        let names = [format!("a{round}"), format!("b{round}")];
        let mut racers = names.clone().map(|name| Racer::start(place, &session, &name));
        for racer in &mut racers {
            assert_eq!(racer.line(), "ready", "both have read the session before either writes");
        }
        // Who is released first differs, so that both orders are seen.
        if round % 2 == 1 {
            racers.reverse();
        }
        racers.iter_mut().for_each(Racer::release);
        let mut outcomes = racers.map(Racer::end);
        if round % 2 == 1 {
            outcomes.reverse();
        }

        let won = format!("ok {session}");
        let winner = match outcomes.each_ref().map(String::as_str) {
            [a, "SESSION_CONFLICT"] if a == won => &names[0],
            ["SESSION_CONFLICT", b] if b == won => &names[1],
            other => panic!("round {round}: {other:?}"),
        };
        let after = store.load(&session).await.unwrap().unwrap();
        assert_eq!(after.revision, before.revision + 1);
        assert_eq!(after.error, before.error, "a conflict leaves no trace in the session");
        let old = before.flow.memory["Talk"].conversation();
        let new = after.flow.memory["Talk"].conversation();
        assert_eq!(new[..old.len()], *old);
        let added: Vec<_> = new[old.len()..].iter().map(|message| &*message.content).collect();
        assert_eq!(added, [&**winner, &*format!("reply to {winner}")]);
        check_history(&after).unwrap();
        if winner.starts_with('a') {
            wins_of_a += 1;
        } else {
            wins_of_b += 1;
        }
    }
    println!("{rounds} rounds: a won {wins_of_a}, b won {wins_of_b}");
}

#[tokio::test]
async fn of_two_turns_on_one_session_in_a_sqlite_file_exactly_one_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("race.sqlite");
    race(file.to_str().unwrap(), SqliteStore::open(&file).await.unwrap(), 50).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn of_two_turns_on_one_session_in_a_postgres_database_exactly_one_is_stored() {
    let database = crate::support::Database::new().await;
    race(database.url(), database.store().await, 20).await;
}
