//! The command line, as a person or a script runs it: a process of its own, `src/bin/cli_app.rs`.

mod chat;
mod look;
mod replay;
mod serve;
mod sessions;
mod terminal;

use crate::support::until;
use picoflow::session::{Session, check_history};
use std::{
    fs,
    io::{Read, Write, pipe},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// What the build of two flows tells where nobody else hears it.
const WARNING: &str =
    "picoflow: warning: nothing in flow `OtherFlow` routes to step `Lost` (flow: OtherFlow)\n";

/// The program with a store of its own, and a gate that holds its model back.
struct App {
    directory: TempDir,
    flows: &'static str,
}

impl App {
    fn new() -> Self {
        Self { directory: TempDir::new().unwrap(), flows: "one" }
    }

    /// With a second flow.
    fn with_two_flows() -> Self {
        Self { flows: "two", ..Self::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cli_app"));
        command
            .args(args)
            .env("STORE", self.path("store.sqlite"))
            .env("GATE", self.path("gate"))
            .env("FLOWS", self.flows)
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS")
            // Colours are for the logs of CI too.
            .env_remove("CI")
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    fn run(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut process = self.command(args).spawn().unwrap();
        // A program that ends before it has read everything is no failure of the test.
        let _written = process.stdin.take().unwrap().write_all(input.as_ref());
        self.ran(process.wait_with_output().unwrap())
    }

    /// What was run, without the warning of the build that is told of two flows.
    fn ran(&self, output: Output) -> Ran {
        let mut ran = Ran::from(output);
        // A program that refuses its options has built its engine all the same.
        if self.flows == "two" {
            let rest = ran.stderr.strip_prefix(WARNING).map(str::to_owned);
            ran.stderr = rest.unwrap_or_else(|| panic!("the build is silent: {ran:?}"));
        }
        ran
    }

    /// Runs it with nobody to read what it prints.
    fn run_unheard(&self, args: &[&str], input: &str) -> Ran {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut process = self.command(args).stdout(writer).spawn().unwrap();
        let _written = process.stdin.take().unwrap().write_all(input.as_bytes());
        self.ran(process.wait_with_output().unwrap())
    }

    /// Waits until the model is held.
    fn await_held(&self) {
        until("the model is asked", || self.path("gate.began").exists());
    }

    fn open_gate(&self) {
        fs::write(self.path("gate"), "").unwrap();
    }

    /// A session that took these turns.
    fn session(&self, input: &str) -> String {
        self.run(&["--flow", "TalkFlow"], input).ok().session()
    }

    fn document(&self, session: &str) -> Session {
        let shown = self.run(&["sessions", "show", session], "").ok();
        let session = serde_json::from_str(&shown.stdout).unwrap();
        check_history(&session).unwrap();
        session
    }
}

/// What a run came to.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// It went well, and there was nothing to tell.
    #[track_caller]
    fn ok(self) -> Self {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""), "{self:?}");
        self
    }

    /// It failed with this code, told so, and printed nothing that a script could take for a result.
    #[track_caller]
    fn fails(self, code: i32, told: &str) -> Self {
        assert_eq!((self.code, &*self.stdout), (Some(code), ""), "{self:?}");
        assert!(self.stderr.starts_with("error: ") && self.stderr.contains(told), "{self:?}");
        self
    }

    /// The session that the last turn was of.
    fn session(&self) -> String {
        let last = self.stdout.lines().last().unwrap();
        let (_, session) = last.split_once(" | session: ").unwrap();
        session.trim_end_matches(']').to_owned()
    }
}

fn signal(process: &Child, name: &str) {
    let command = format!("kill -{name} {}", process.id());
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
}

/// Reads until this has come.
fn read_until(from: &mut impl Read, end: &str) -> String {
    let mut text = Vec::new();
    while !text.ends_with(end.as_bytes()) {
        let mut byte = [0];
        let read = from.read(&mut byte).unwrap();
        assert_eq!(read, 1, "the end came after: {}", String::from_utf8_lossy(&text));
        text.extend(byte);
    }
    String::from_utf8(text).unwrap()
}

#[test]
fn options_that_are_unknown_or_do_not_go_together_are_usage_errors() {
    let app = App::new();
    app.run(&["chatt"], "").fails(2, "unrecognized subcommand 'chatt'");
    app.run(&["--nonsense"], "").fails(2, "unexpected argument '--nonsense'");
    app.run(&["--session", "s", "--config", "{}"], "").fails(2, "cannot be used with");
    app.run(&["--session", "s", "--record", "f"], "").fails(2, "cannot be used with");
    app.run(&["--config", "{"], "").fails(2, "EOF while parsing an object");
    app.run(&["--flow", "TalkFlow", "check"], "").fails(2, "`chat` do not go before `check`");
    app.run(&["sessions"], "").code.map(|code| assert_eq!(code, 2)).unwrap();
}

#[test]
fn a_build_warning_is_told_unless_a_subscriber_hears_it() {
    let app = App::with_two_flows();
    let told = app.command(&["graph", "--flow", "TalkFlow"]).output().unwrap();
    assert_eq!(String::from_utf8(told.stderr).unwrap(), WARNING);
    let heard =
        app.command(&["graph", "--flow", "TalkFlow"]).env("SUBSCRIBER", "").output().unwrap();
    assert_eq!((heard.status.code(), &*heard.stderr), (Some(0), &b""[..]));
}

#[test]
fn the_version_is_told_with_the_programs_name() {
    let told = App::new().run(&["--version"], "").ok().stdout;
    assert_eq!(told, format!("cli_app (picoflow {})\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn nobody_but_its_owner_reads_a_new_database() {
    use std::os::unix::fs::PermissionsExt;

    let app = App::new();
    let mut process = app.command(&[]).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    writeln!(stdin, "Hi").unwrap();
    read_until(process.stdout.as_mut().unwrap(), "]\n");
    let mode = |name| fs::metadata(app.path(name)).unwrap().permissions().mode() & 0o777;
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    drop(stdin);
    assert!(process.wait().unwrap().success());
    fs::set_permissions(app.path("store.sqlite"), fs::Permissions::from_mode(0o640)).unwrap();
    app.run(&[], "Hi\n").ok();
    assert_eq!(mode("store.sqlite"), 0o640);
}

#[test]
fn colours_reach_a_pipe_only_when_forced() {
    let app = App::new();
    let run = |name: &str| {
        let mut process = app.command(&[]).env(name, "1").spawn().unwrap();
        process.stdin.take().unwrap().write_all(b"Hi\n").unwrap();
        Ran::from(process.wait_with_output().unwrap()).ok().stdout
    };
    assert!(run("CLICOLOR_FORCE").contains("\x1b[2mTalk | session"));
    assert!(!run("CLICOLOR").contains('\x1b'));
    let help = |command: &mut Command| String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(!help(&mut app.command(&["--help"])).contains('\x1b'));
    let forced = help(app.command(&["--help"]).env("CLICOLOR_FORCE", "1"));
    assert!(forced.contains('\x1b'), "{forced}");
}

#[test]
fn help_names_every_command() {
    let help = App::new().run(&["--help"], "").ok().stdout;
    for command in ["chat", "serve", "graph", "check", "sessions", "replay"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
}
