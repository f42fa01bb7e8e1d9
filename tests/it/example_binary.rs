//! The example `basic_flow` as a person runs it: its own binary, with input from a pipe.

use picoflow::{
    session::Session,
    testing::{Scenario, check_history},
};
use serde_json::Value;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

/// Built by the same cargo that runs this test.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "picoflow", "--example", "basic_flow"])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut executables = messages.filter_map(|message| {
        let is_example = message["target"]["name"] == "basic_flow";
        message["executable"].as_str().filter(|_| is_example).map(PathBuf::from)
    });
    executables.next().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&built.stderr)))
});

fn run(store: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut process = Command::new(&*BINARY)
        .arg("--store")
        .arg(store)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments may be gone before it is written to.
    let _written = process.stdin.take().unwrap().write_all(input);
    process.wait_with_output().unwrap()
}

/// What the program printed, turn by turn: the text, and the details of its last line.
struct Transcript(Vec<(String, Vec<String>)>);

impl Transcript {
    fn of(output: &Output) -> Self {
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let (mut turns, mut said) = (Vec::new(), Vec::new());
        for line in text.lines() {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(details) if details.contains("session: ") => {
                    let details = details.split(" | ").map(str::to_owned).collect();
                    turns.push((said.join("\n"), details));
                    said.clear();
                }
                // A tool that was called, or a step that was left.
                Some(_) => {}
                None => said.push(line),
            }
        }
        Self(turns)
    }

    fn steps(&self) -> Vec<&str> {
        self.0.iter().map(|(_, details)| &*details[0]).collect()
    }

    fn session(&self) -> String {
        let details = &self.0.last().unwrap().1;
        let session = details.iter().find_map(|detail| detail.strip_prefix("session: "));
        session.unwrap().to_owned()
    }
}

fn scenario() -> Scenario {
    serde_json::from_str(include_str!("../scenarios/basic-flow.json")).unwrap()
}

fn lines(inputs: &[&str]) -> Vec<u8> {
    inputs.iter().flat_map(|input| format!("{input}\n").into_bytes()).collect()
}

fn document(store: &Path, session: &str) -> Session {
    let shown = run(store, &["sessions", "show", session], b"");
    assert!(shown.status.success(), "{shown:?}");
    let session = serde_json::from_slice(&shown.stdout).unwrap();
    check_history(&session).unwrap();
    session
}

#[test]
fn the_eight_inputs_lead_through_the_expected_steps_to_the_final_state() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    let scenario = scenario();
    let inputs = lines(&scenario.turns.iter().map(|turn| &*turn.input).collect::<Vec<_>>());
    let transcript = Transcript::of(&run(&store, &[], &inputs));

    let expected: Vec<_> =
        scenario.turns.iter().map(|turn| turn.expected_active_step.as_str()).collect();
    assert_eq!(transcript.steps(), expected);
    for (turn, (text, _)) in scenario.turns.iter().zip(&transcript.0) {
        for part in &turn.response_must_include {
            assert!(text.to_lowercase().contains(&part.to_lowercase()), "{part}: {text}");
        }
    }
    let session = document(&store, &transcript.session());
    assert!(session.is_completed());
    scenario.check_state(&session).unwrap();
}

#[test]
fn ending_the_process_between_any_two_turns_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = scenario();
    let inputs: Vec<_> = scenario.turns.iter().map(|turn| &*turn.input).collect();
    for cut in 1..inputs.len() {
        let store = directory.path().join(format!("{cut}.sqlite"));
        let (before, after) = inputs.split_at(cut);
        let transcript = Transcript::of(&run(&store, &[], &lines(before)));
        let id = transcript.session();
        let rest = Transcript::of(&run(&store, &["--session", &id], &lines(after)));
        assert_eq!(rest.session(), id);
        let session = document(&store, &id);
        assert!(session.is_completed(), "cut behind turn {cut}");
        scenario.check_state(&session).unwrap();
    }
}

#[test]
fn a_line_that_is_not_utf8_ends_a_script() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    let output = run(&store, &[], b"Hi\n\xff\xfe\xfd\nLA,NYC\n");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(text, "error: line 2 of the input: it is not valid UTF-8\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_nobody_foresaw_gets_an_answer_of_the_current_step_and_stays() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = scenario();
    let inputs: Vec<_> = scenario.turns.iter().map(|turn| &*turn.input).collect();
    // In front of each input that moves on: the step that it finds, and a word that its question holds.
    for (at, step, word) in [
        (0, "WeatherStep", "weather"),
        (3, "FavoritesStep", "favorite"),
        (4, "NameStep", "name"),
        (6, "DOBStep", "born"),
        (7, "AddressStep", "address"),
    ] {
        for odd in ["hmm?", "¿Qué?", "0", "{}", &"x".repeat(10_000)] {
            let store = directory.path().join(format!("{at}-{}.sqlite", odd.len()));
            let mut typed = inputs[..at].to_vec();
            typed.push(odd);
            let transcript = Transcript::of(&run(&store, &[], &lines(&typed)));
            let (text, details) = transcript.0.last().unwrap();
            assert_eq!(details[0], step, "{odd}");
            assert!(text.to_lowercase().contains(word), "{step}: {text}");
        }
    }
}

#[test]
fn a_farewell_ends_the_session_at_every_step_that_lets_the_user_leave() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = scenario();
    let inputs: Vec<_> = scenario.turns.iter().map(|turn| &*turn.input).collect();
    for at in [0, 1, 4, 6, 7] {
        let store = directory.path().join(format!("{at}.sqlite"));
        let mut typed = inputs[..at].to_vec();
        typed.push("Bye!");
        let transcript = Transcript::of(&run(&store, &[], &lines(&typed)));
        assert_eq!(transcript.steps().last(), Some(&"TerminateSessionStep"));
        assert!(document(&store, &transcript.session()).is_completed());
    }
}

#[test]
fn a_session_that_is_unknown_or_has_ended_is_an_error_and_nothing_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    for args in [&["--session", "nobody"][..], &["sessions", "show", "nobody"]] {
        let output = run(&store, args, b"Hi\n");
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains("nobody"), "{output:?}");
    }
    let ended = Transcript::of(&run(&store, &[], b"bye\n")).session();
    let before = document(&store, &ended);
    let output = run(&store, &["--session", &ended], b"Hi\n");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("has ended"), "{output:?}");
    assert_eq!(document(&store, &ended), before);
}

#[test]
fn the_president_begins_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    let transcript = Transcript::of(&run(&store, &["--president"], b"Hi\nyes\n"));
    assert_eq!(transcript.steps(), ["PresidentStep", "WeatherStep"]);
}

#[test]
fn the_other_commands_take_the_options_of_the_example_behind_them() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    let other = directory.path().join("other.sqlite");
    let session = Transcript::of(&run(&store, &[], b"Hi\n")).session();
    let other = other.to_str().unwrap();
    for (args, found) in
        [(&["sessions", "list"][..], true), (&["sessions", "list", "--store", other], false)]
    {
        let listed = run(&store, args, b"");
        assert_eq!(String::from_utf8_lossy(&listed.stdout).contains(&session), found, "{args:?}");
    }
    let readme = include_str!("../../README.md");
    let graph = run(&store, &["graph"], b"");
    assert!(readme.contains(&*String::from_utf8_lossy(&graph.stdout)));
    let check = run(&store, &["check", "--strict"], b"");
    assert!(check.status.success(), "{check:?}");
}
