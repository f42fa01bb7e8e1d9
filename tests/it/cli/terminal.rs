//! `chat` with a person: a terminal of its own, whose keys are pressed and whose screen is read.

use super::{App, Ran, signal};
use crate::support::PATIENCE;
use picoflow::session::Session;
use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    process::{Child, Command, ExitStatus},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

const UP: &str = "\x1b[A";
const LEFT: &str = "\x1b[D";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

struct Terminal<'a> {
    app: &'a App,
    process: Child,
    keys: File,
    /// The program's side, kept open so that its modes can be seen after the program's end.
    tty: File,
    screen: Arc<Mutex<String>>,
    /// How much of the screen the test has looked at.
    looked: usize,
}

impl<'a> Terminal<'a> {
    fn start(app: &'a App, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let name = ptsname(&keys, Vec::new()).unwrap();
        let noctty = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).custom_flags(noctty);
            options.open(OsStr::from_bytes(name.as_bytes())).unwrap()
        };
        let tty = open();
        tcsetwinsize(&tty, Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let plain = app.command(args);
        // The terminal is the program's own, so that Ctrl-C reaches it as a signal.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(plain.get_program()).args(plain.get_args());
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(variables.iter().copied()).current_dir(app.directory.path());
        let process = command.stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
        let keys = File::from(keys);
        let screen = Arc::new(Mutex::new(String::new()));
        let (shown, mut from) = (Arc::clone(&screen), keys.try_clone().unwrap());
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut part) {
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..read]));
            }
        });
        Self { app, process, keys, tty, screen, looked: 0 }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this is on the screen, behind what was seen before. Returns what is there up to it.
    #[track_caller]
    fn see(&mut self, text: &str) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen.lock().unwrap().clone();
            let rest = &screen[self.looked..];
            if let Some(at) = rest.find(text) {
                let seen = rest[..at + text.len()].to_owned();
                self.looked += seen.len();
                return seen;
            }
            assert!(began.elapsed() < PATIENCE, "no {text:?} in {rest:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn session(&mut self) -> Session {
        self.see("session: ");
        let rest = self.see_line();
        self.app.document(rest.trim_end_matches(['\r', '\n', ']']).trim_end_matches("\x1b[0m"))
    }

    fn see_line(&mut self) -> String {
        self.see("\n")
    }

    fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.tty).unwrap().local_modes;
        !modes.contains(LocalModes::ICANON) || !modes.contains(LocalModes::ECHO)
    }

    /// Waits until the program can be spoken to.
    fn await_prompt(&mut self) {
        self.see("> ");
    }

    fn end(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}

#[test]
fn arrow_keys_edit_the_line_and_recall_the_last() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &[], &[]);
    terminal.see("Ctrl-D ends the program");
    terminal.await_prompt();
    terminal.press(&format!("abd{LEFT}c\r"));
    terminal.see("You said: abcd\r\n");
    assert_eq!(terminal.session().turns, 1);
    terminal.await_prompt();
    terminal.press(&format!("{UP}\r"));
    terminal.see("You said: abcd\r\n");
    let session = terminal.session();
    assert_eq!(session.turns, 2);
    assert!(!serde_json::to_string(&session).unwrap().contains("[A"));
    terminal.await_prompt();
    terminal.press(CTRL_D);
    terminal.see(&format!("Go on with `--session {}`.", session.id));
    assert_eq!(terminal.end().code(), Some(0));
    assert!(!terminal.is_raw());
}

#[test]
fn a_person_goes_on_after_an_empty_line_and_a_failed_turn() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &[], &[]);
    terminal.await_prompt();
    terminal.press("\r");
    terminal.await_prompt();
    terminal.press("fail\r");
    terminal.see("MODEL_FAILED: step `Talk`: the model call failed: out of order");
    terminal.await_prompt();
    terminal.press("again\r");
    terminal.see("You said: again");
    terminal.await_prompt();
    terminal.press("bye\r");
    terminal.see("The conversation has ended.");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn ctrl_c_cancels_the_turn_that_runs_and_the_conversation_goes_on() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &[], &[]);
    terminal.await_prompt();
    terminal.press("Hi\r");
    let before = terminal.session();
    terminal.await_prompt();
    terminal.press("hold\r");
    terminal.see("One moment. ");
    app.await_held();
    terminal.press(CTRL_C);
    terminal.see("The turn was cancelled: the session is as it was before.");
    assert_eq!(app.document(&before.id), before);
    terminal.await_prompt();
    terminal.press("again\r");
    terminal.see("You said: again\r\n");
    let after = terminal.session();
    assert_eq!((after.turns, after.error.len()), (2, 0));
    assert!(!serde_json::to_string(&after).unwrap().contains("hold"));
}

#[test]
fn ctrl_c_at_the_prompt_clears_the_line_and_then_ends() {
    for term in ["xterm", "dumb"] {
        let app = App::new();
        let mut terminal = Terminal::start(&app, &[], &[("TERM", term)]);
        terminal.await_prompt();
        terminal.press("never sent");
        terminal.see("sent");
        terminal.press(CTRL_C);
        terminal.see("Ctrl-C once more or Ctrl-D ends the program.");
        terminal.await_prompt();
        terminal.press("Hi\r");
        terminal.see("You said: Hi\r\n");
        terminal.await_prompt();
        terminal.press(CTRL_C);
        terminal.see("Ctrl-C once more or Ctrl-D ends the program.");
        terminal.await_prompt();
        terminal.press(CTRL_C);
        assert_eq!(terminal.end().code(), Some(130), "{term}");
        assert!(!terminal.is_raw(), "{term}");
    }
}

#[test]
fn sigterm_at_the_prompt_leaves_the_terminal_as_it_was() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &[], &[]);
    terminal.await_prompt();
    terminal.press("half");
    terminal.see("half");
    assert!(terminal.is_raw());
    signal(&terminal.process, "TERM");
    assert_eq!(terminal.end().code(), Some(143));
    assert!(!terminal.is_raw());
}

#[test]
fn asides_are_dim_unless_the_environment_says_no() {
    let app = App::new();
    for (variable, aside) in [
        (("TERM", "xterm"), "\x1b[2mTalk | session"),
        (("NO_COLOR", "1"), "[Talk | session"),
        (("TERM", "dumb"), "[Talk | session"),
    ] {
        let mut terminal = Terminal::start(&app, &[], &[variable]);
        terminal.await_prompt();
        terminal.press("steer\r");
        terminal.see("\u{fffd}[2Jcleared");
        terminal.see(aside);
        let screen = terminal.screen.lock().unwrap().clone();
        assert!(!screen.contains("\x1b[2J"), "{screen:?}");
        if variable == ("TERM", "dumb") {
            assert!(!screen.contains('\x1b'), "{screen:?}");
        }
        terminal.see("> ");
        terminal.press(CTRL_D);
        terminal.end();
    }
}

#[test]
fn keys_that_a_plain_terminal_cannot_serve_are_not_sent() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &[], &[("TERM", "dumb")]);
    terminal.await_prompt();
    terminal.press(&format!("{UP}\r"));
    terminal.see("That line has characters of keys that this terminal cannot serve");
    terminal.await_prompt();
    terminal.press("Hi\r");
    assert_eq!(terminal.session().turns, 1);
}

#[test]
fn help_is_wrapped_to_the_terminal() {
    let app = App::new();
    let mut terminal = Terminal::start(&app, &["serve", "--help"], &[("NO_COLOR", "1")]);
    assert_eq!(terminal.end().code(), Some(0));
    terminal.see("Print help");
    let screen = terminal.screen.lock().unwrap().clone();
    assert!(screen.lines().all(|line| line.chars().count() <= 60), "{screen}");
    let piped: Ran = app.run(&["serve", "--help"], "").ok();
    assert!(piped.stdout.lines().any(|line| line.chars().count() > 60), "{piped:?}");
}
