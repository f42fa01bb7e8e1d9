//! Lines that are edited in a terminal: arrow keys, and what was said before.

use super::{Said, Stop, lines::said};
use rustyline::{
    Config, DefaultEditor,
    error::{ReadlineError, Signal},
};
use std::{env, io};

/// Terminals that cannot move their cursor, or do it in ways of their own.
const PLAIN: [&str; 3] = ["dumb", "cons25", "emacs"];

/// A line editor, whose history ends with the program.
pub(super) struct Editor(DefaultEditor);

/// Whether this terminal can show a line while it is edited.
pub(super) fn is_supported() -> bool {
    env::var("TERM")
        .map_or(cfg!(windows), |term| !PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(&term)))
}

impl Editor {
    pub(super) fn new() -> rustyline::Result<Self> {
        DefaultEditor::with_config(Config::builder().auto_add_history(true).build()).map(Self)
    }

    pub(super) fn line(&mut self) -> io::Result<Said> {
        loop {
            return match self.0.readline("> ") {
                Ok(line) => Ok(said(line.into_bytes(), true)),
                Err(ReadlineError::Interrupted) => Ok(Said::Interrupt(Stop::Interrupt)),
                Err(ReadlineError::Eof) => Ok(Said::End),
                Err(ReadlineError::Signal(Signal::Resize)) => continue,
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    Ok(Said::NoText("is not valid UTF-8"))
                }
                Err(ReadlineError::Io(error)) => Err(error),
                Err(error) => Err(io::Error::other(error)),
            };
        }
    }
}

/// Ends a line that is still edited: pasted texts come without brackets again, and what follows begins a line.
#[cfg(unix)]
pub(super) fn leave() {
    use std::io::{Write, stdout};
    // If nobody sees the terminal any more, nobody misses it.
    drop(stdout().write_all(b"\x1b[?2004l\r\n").and_then(|()| stdout().flush()));
}
