//! The lines that the user types.

use std::{
    io::{self, BufRead, stdin},
    sync::mpsc,
    thread,
};
use tokio::sync::oneshot;

/// Reads standard input, a line when one is asked for. On a thread that nobody waits for: a read of standard input cannot
/// be given up, and must not keep the program from ending.
pub(super) struct Input(mpsc::Sender<Ask>);

type Ask = oneshot::Sender<io::Result<Vec<u8>>>;

impl Input {
    pub(super) fn new() -> io::Result<Self> {
        let (ask, asked) = mpsc::channel::<Ask>();
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            for answer in asked {
                let mut line = Vec::new();
                let read = stdin().lock().read_until(b'\n', &mut line);
                // Nobody waits for it when the program is about to end.
                drop(answer.send(read.map(|_| line)));
            }
        })?;
        Ok(Self(ask))
    }

    /// The next line as it was typed, without the spaces at its end; nothing at the end of the input or at an empty line.
    pub(super) async fn line(&self) -> io::Result<Option<Vec<u8>>> {
        let (ask, answer) = oneshot::channel();
        self.0.send(ask).map_err(io::Error::other)?;
        let mut line = answer.await.map_err(io::Error::other)??;
        line.truncate(line.trim_ascii_end().len());
        Ok((!line.is_empty()).then_some(line))
    }
}
