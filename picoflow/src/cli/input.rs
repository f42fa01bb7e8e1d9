//! What the user says: lines of a file or a pipe, or lines that are edited in a terminal.

mod editor;
mod lines;

use super::signals::Stop;
use editor::Editor;
use lines::Lines;
use std::{
    io::{self, IsTerminal, stdin, stdout},
    sync::mpsc,
    thread,
};
use tokio::sync::oneshot;

/// What the user says or does at a prompt.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    /// Something for the flow, without the spaces at its end.
    Text(String),
    /// Spaces, or nothing.
    Nothing,
    /// What cannot be sent, and why.
    NoText(&'static str),
    /// More than a line may hold.
    TooLong,
    /// Ctrl-C, or a signal.
    Interrupt(Stop),
    /// The end of the input.
    End,
}

/// Reads standard input, a line when one is asked for. On a thread that nobody waits for: a read of standard input cannot
/// be given up, and must not keep the program from ending.
pub(super) struct Input {
    ask: mpsc::Sender<Ask>,
    /// The line that was asked for and has not come.
    awaited: Option<oneshot::Receiver<io::Result<Said>>>,
    /// Lines that have come.
    pub(super) count: u64,
    /// Whether a person types.
    pub(super) is_terminal: bool,
    /// Whether lines are edited, in a terminal that can.
    is_edited: bool,
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

type Ask = oneshot::Sender<io::Result<Said>>;

enum Source {
    Edited(Box<Editor>),
    Plain(Lines<io::StdinLock<'static>>),
}

impl Input {
    pub(super) fn new() -> io::Result<Self> {
        let is_terminal = stdin().is_terminal();
        let is_edited = is_terminal && stdout().is_terminal() && editor::is_supported();
        #[cfg(unix)]
        let modes = if is_edited { rustix::termios::tcgetattr(stdin()).ok() } else { None };
        let (ask, asked) = mpsc::channel::<Ask>();
        let read = move || {
            let mut source = if is_edited {
                Editor::new().map(|editor| Source::Edited(Box::new(editor)))
            } else {
                Ok(Source::Plain(Lines::new(stdin().lock(), is_terminal)))
            };
            for answer in asked {
                let said = match &mut source {
                    Ok(Source::Edited(editor)) => editor.line(),
                    Ok(Source::Plain(lines)) => lines.line(),
                    Err(error) => Err(io::Error::other(error.to_string())),
                };
                // Nobody waits for it when the program is about to end.
                drop(answer.send(said));
            }
        };
        thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self {
            ask,
            awaited: None,
            count: 0,
            is_terminal,
            is_edited,
            #[cfg(unix)]
            modes,
        })
    }

    /// Whether a person waits to be asked. A line that is edited has its own prompt.
    pub(super) fn asks(&self) -> bool {
        self.is_terminal && !self.is_edited && stdout().is_terminal()
    }

    /// Returns what is said next. If its future is dropped before that, the next call goes on waiting for it.
    pub(super) async fn next(&mut self) -> io::Result<Said> {
        let awaited = match &mut self.awaited {
            Some(awaited) => awaited,
            empty => {
                let (answer, awaited) = oneshot::channel();
                self.ask.send(answer).map_err(io::Error::other)?;
                empty.insert(awaited)
            }
        };
        let said = awaited.await.map_err(io::Error::other);
        self.awaited = None;
        let said = said??;
        self.count += u64::from(!matches!(said, Said::Interrupt(_) | Said::End));
        Ok(said)
    }
}

/// A program that ends while a line is edited leaves the terminal as it found it.
#[cfg(unix)]
impl Drop for Input {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let (Some(modes), Some(_)) = (&self.modes, &self.awaited) {
            let _restored = tcsetattr(stdin(), OptionalActions::Now, modes);
            editor::leave();
        }
    }
}
