//! `chat`: a conversation over pipes.

use super::{App, Ran, read_until, signal};
use picoflow::session::Session;
use std::{
    io::{Read, Write},
    process::Child,
};

#[test]
fn a_turn_is_told_line_by_line_and_ends_with_step_and_session() {
    let app = App::new();
    let ran = app.run(&["chat"], "Hi\nadd tea\nadd soup\npay\n").ok();
    let session = ran.session();
    let expected = format!(
        "You said: Hi\n\
         [Talk | session: {session}]\n\
         [warning: only one tea is left]\n\
         [add {{\"dish\":\"tea\"}} = tea is on the list]\n\
         You said: tea is on the list\n\
         [Talk | session: {session}]\n\
         [add {{\"dish\":\"soup\"}} failed: the soup is off]\n\
         You said: the soup is off\n\
         [Talk | session: {session}]\n\
         [pay {{}} = input validated]\n\
         That makes three.\n\
         [Talk | session: {session}]\n"
    );
    assert_eq!(ran.stdout, expected);
    assert_eq!(app.document(&session).turns, 4);
}

#[test]
fn chat_is_what_happens_without_a_command() {
    let app = App::new();
    let session = app.run(&[], "Hi\n").ok().session();
    let ran = app.run(&["--session", &session], "again").ok();
    assert_eq!(ran.session(), session);
    assert_eq!(app.document(&session).turns, 2);
}

#[test]
fn an_empty_line_ends_the_program_and_a_farewell_the_session() {
    let app = App::new();
    let session = app.run(&[], "Hi\n \nlost\n").ok().session();
    assert_eq!(app.document(&session).turns, 1);
    let ran = app.run(&[], "bye\nlost\n").ok();
    assert!(ran.stdout.contains("[Talk -> TerminateSessionStep]"), "{ran:?}");
    assert!(app.document(&ran.session()).is_completed());
    assert_eq!(app.run(&[], "").ok().stdout, "");
}

#[test]
fn a_line_that_is_not_utf8_is_told_and_not_sent() {
    let app = App::new();
    let ran = app.run(&[], b"Hi\n\xff\xfe\nagain\n");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr, "That line is not valid UTF-8, so it was not sent.\n");
    assert_eq!(app.document(&ran.session()).turns, 2);
}

#[test]
fn a_text_is_shown_without_what_steers_a_terminal() {
    let ran = App::new().run(&[], "steer\n").ok();
    assert!(ran.stdout.starts_with("\u{fffd}[2Jcleared\n"), "{ran:?}");
}

#[test]
fn a_new_session_begins_with_the_config_and_a_flow_is_chosen_by_its_name() {
    let app = App::with_two_flows();
    let args = ["--flow", "OtherFlow", "--config", r#"{"table":7}"#];
    let ran = app.run(&args, "config\nconfig\n").ok();
    assert_eq!(ran.stdout.matches("config: {\"table\":7}\n").count(), 2, "{ran:?}");
    // A session knows its flow.
    let session = ran.session();
    app.run(&["--session", &session], "again").ok();
    assert_eq!(app.document(&session).flow.name, "OtherFlow");
    app.run(&["--session", &session, "--flow", "TalkFlow"], "again").fails(1, "belongs to flow");
}

#[test]
fn without_a_flow_or_with_a_wrong_one_the_flows_are_named() {
    let app = App::with_two_flows();
    let names = "choose one by `--flow` of OtherFlow, TalkFlow";
    app.run(&[], "Hi\n").fails(1, names);
    app.run(&["chat", "--flow", "Nobody"], "Hi\n").fails(1, names);
}

#[test]
fn a_session_that_is_unknown_or_has_ended_is_told_before_anything_is_said() {
    let app = App::new();
    app.run(&["--session", "nobody"], "").fails(1, "session `nobody` does not exist");
    let ended = app.session("bye\n");
    let before = app.document(&ended);
    app.run(&["--session", &ended], "").fails(1, "has ended");
    assert_eq!(app.document(&ended), before);
}

#[test]
fn a_script_ends_with_the_first_turn_that_fails() {
    let app = App::new();
    let ran = app.run(&[], "Hi\nfail\nlost\n");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("out of order"), "{ran:?}");
    assert!(!ran.stdout.contains("lost"), "{ran:?}");
    assert_eq!(app.document(&ran.session()).turns, 1);
}

#[test]
fn a_conversation_that_nobody_reads_any_more_ends_in_silence() {
    let app = App::new();
    let ran = app.run_unheard(&[], "Hi\nagain\n");
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
}

/// A conversation that goes on while the test looks.
struct Talk<'a> {
    app: &'a App,
    process: Child,
}

impl<'a> Talk<'a> {
    fn start(app: &'a App) -> Self {
        Self { app, process: app.command(&[]).spawn().unwrap() }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self, end: &str) -> String {
        read_until(self.process.stdout.as_mut().unwrap(), end)
    }

    /// Nothing more is said.
    fn end(self) -> Ran {
        Ran::from(self.process.wait_with_output().unwrap())
    }

    fn session(&self, heard: &str) -> Session {
        let (_, session) = heard.rsplit_once("session: ").unwrap();
        self.app.document(session.trim_end().trim_end_matches(']'))
    }
}

#[test]
fn a_text_is_shown_while_the_model_says_it() {
    let app = App::new();
    let mut talk = Talk::start(&app);
    talk.say("hold");
    assert_eq!(talk.hear("One moment. "), "One moment. ");
    app.open_gate();
    assert_eq!(talk.hear("\n"), "Done.\n");
    talk.end().ok();
}

#[test]
fn ctrl_c_cancels_the_turn_that_runs_and_the_conversation_goes_on() {
    let app = App::new();
    let mut talk = Talk::start(&app);
    talk.say("Hi");
    let heard = talk.hear("]\n");
    let before = talk.session(&heard);
    talk.say("hold");
    talk.hear("One moment. ");
    app.await_held();
    signal(&talk.process, "INT");
    let told = "The turn was cancelled: the session is as it was before.\n";
    assert_eq!(read_until(talk.process.stderr.as_mut().unwrap(), "\n"), told);
    assert_eq!(talk.session(&heard), before);
    talk.say("again");
    assert!(talk.hear("]\n").starts_with("\nYou said: again\n"));
    let after = talk.session(&heard);
    assert_eq!((after.turns, after.error.len()), (2, 0));
    assert!(!serde_json::to_string(&after).unwrap().contains("hold"));
    talk.end().ok();
}

#[test]
fn ctrl_c_between_two_turns_ends_the_program() {
    let app = App::new();
    let mut talk = Talk::start(&app);
    talk.say("Hi");
    talk.hear("]\n");
    let mut input = talk.process.stdin.take();
    signal(&talk.process, "INT");
    assert_eq!(talk.process.wait().unwrap().code(), Some(130));
    // It was not the end of the input that ended it.
    drop(input.take());
    let mut told = String::new();
    talk.process.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told, "");
}
