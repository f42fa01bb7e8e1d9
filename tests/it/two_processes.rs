//! Two processes on one session of one SQLite file.

use picoflow::{
    SqliteStore,
    session::{SessionStore, check_history},
};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

const ROUNDS: usize = 50;

struct Racer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Racer {
    fn start(file: &Path, session: &str, name: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_racing_turn"))
            .arg(file)
            .args([session, name])
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

#[tokio::test]
async fn of_two_turns_on_one_session_exactly_one_is_stored_whole_and_the_other_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("race.sqlite");
    let mut first = Racer::start(&file, "-", "opening");
    assert_eq!(first.line(), "ready");
    first.release();
    let outcome = first.end();
    let session = outcome.strip_prefix("ok ").unwrap().to_owned();

    let store = SqliteStore::open(&file).await.unwrap();
    let (mut wins_of_a, mut wins_of_b) = (0, 0);
    for round in 0..ROUNDS {
        let before = store.load(&session).await.unwrap().unwrap();
        let names = [format!("a{round}"), format!("b{round}")];
        let mut racers = names.clone().map(|name| Racer::start(&file, &session, &name));
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
    println!("{ROUNDS} rounds: a won {wins_of_a}, b won {wins_of_b}");
}
