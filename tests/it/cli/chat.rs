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
fn an_empty_line_is_skipped_and_line_ends_are_read() {
    let app = App::new();
    let ran = app.run(&[], "\u{feff}Hi\r\n \n\r\n\t\nlast").ok();
    assert!(ran.stdout.starts_with("You said: Hi\n"), "{ran:?}");
    assert!(ran.stdout.contains("\nYou said: last\n"), "{ran:?}");
    assert_eq!(app.document(&ran.session()).turns, 2);
    for empty in ["", "\n", "\r\n \n"] {
        assert_eq!(app.run(&[], empty).ok().stdout, "");
    }
}

#[test]
fn input_after_the_end_of_the_conversation_is_told() {
    let app = App::new();
    let ran = app.run(&[], "bye\n\r\n \n").ok();
    assert!(ran.stdout.contains("[Talk -> TerminateSessionStep]"), "{ran:?}");
    assert!(app.document(&ran.session()).is_completed());
    let ran = app.run(&[], "Hi\nbye\n\nlost\nlost\n");
    let told = "error: line 4 of the input: the conversation has ended, so this and what follows was not sent\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(1), told));
    assert!(app.document(&ran.session()).is_completed());
}

#[test]
fn a_conversation_that_has_ended_does_not_wait_for_a_silent_writer() {
    let app = App::new();
    let mut talk = Talk::start(&app);
    talk.say("bye");
    talk.hear("session: ");
    let input = talk.process.stdin.take();
    assert_eq!(talk.process.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
fn a_line_that_is_no_text_or_too_long_is_told() {
    let app = App::new();
    let ran = app.run(&[], b"Hi\na\0b\nlost\n");
    let told = "error: line 2 of the input: it has a NUL character\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(1), told));
    assert_eq!(app.document(&ran.session()).turns, 1);
    let ran = app.run(&[], format!("{}\nlost\n", "x".repeat(300 * 1024)));
    let told = "error: line 1 of the input: the message has 307200 bytes, and the flow takes 262144: send less at once\n";
    assert_eq!((ran.code, &*ran.stderr, &*ran.stdout), (Some(1), told, ""));
}

#[test]
fn the_failure_of_a_tool_is_told_without_its_text() {
    let app = App::new();
    let ran = app.run(&[], "add fish\n");
    let session = ran.session();
    let told = format!(
        "picoflow: error: a tool failed; the list `error` of the session says why (flow: TalkFlow, session: {session})\n"
    );
    assert_eq!((ran.code, &*ran.stderr), (Some(0), &*told));
    assert!(app.document(&session).error[0].message.contains("ann@example.com"));
}

#[test]
fn a_line_that_is_not_utf8_ends_a_script() {
    let app = App::new();
    let ran = app.run(&[], b"Hi\n\xff\xfe\nlost\n");
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "error: line 2 of the input: it is not valid UTF-8\n");
    assert_eq!(app.document(&ran.session()).turns, 1);
}

#[test]
fn an_error_is_told_without_what_steers_a_terminal() {
    let ran = App::new().run(&[], "break\n");
    assert!(ran.stderr.contains("\u{fffd}[2Jbroken"), "{ran:?}");
    assert!(!ran.stderr.contains('\x1b'), "{ran:?}");
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
    let told = "error: line 2 of the input: step `Talk`: the model call failed: out of order\n";
    assert_eq!(ran.stderr, told);
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

    /// Sends a signal while the input stays open. Returns what is told on standard error.
    fn stopped(&mut self, name: &str, code: i32) -> String {
        let input = self.process.stdin.take();
        signal(&self.process, name);
        assert_eq!(self.process.wait().unwrap().code(), Some(code));
        // It was not the end of the input that ended it.
        drop(input);
        let mut told = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        told
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
fn a_signal_during_a_turn_ends_a_script() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let app = App::new();
        let mut talk = Talk::start(&app);
        talk.say("Hi");
        let heard = talk.hear("]\n");
        let before = talk.session(&heard);
        talk.say("hold\nlost");
        talk.hear("One moment. ");
        app.await_held();
        let told = "The turn was cancelled: the session is as it was before.\n";
        assert_eq!(talk.stopped(name, code), told);
        assert_eq!(talk.session(&heard), before);
    }
}

#[test]
fn a_signal_between_two_turns_ends_the_program() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let app = App::new();
        let mut talk = Talk::start(&app);
        talk.say("Hi");
        talk.hear("]\n");
        assert_eq!(talk.stopped(name, code), "");
    }
}
