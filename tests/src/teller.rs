//! A process of the program `storyteller`, which runs the turns that it is sent, as its callers see it.

use crate::faults::Moment;
use std::{
    io::{self, BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::Sender,
    thread,
};

/// What a process is started with.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program `storyteller`.
    pub storyteller: PathBuf,
    /// The [name](crate::open::open) of the store that it shares with others.
    pub store: String,
    /// The file where its handlers leave their effects, a key and an effect in each line.
    pub effects: PathBuf,
}

/// What a process says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The reply of a turn.
    Told {
        /// The number of the session.
        session: usize,
        /// The number of the turn.
        turn: usize,
        /// Whether the reply was stored before.
        is_replayed: bool,
        /// Its text.
        text: String,
    },
    /// A turn has failed.
    Failed(String),
    /// A fault has struck: the turn waits for the end of the process.
    Here,
    /// It has ended.
    Gone,
}

/// One process. It ends when this is dropped.
#[derive(Debug)]
pub struct Teller {
    process: Child,
    input: ChildStdin,
}

impl Teller {
    /// Starts a process. What it says is sent on, with this name.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &Program,
        name: usize,
        heard: Sender<(usize, Said)>,
    ) -> Result<Self, io::Error> {
        let mut process = Command::new(&program.storyteller)
            .arg(&program.store)
            .arg(&program.effects)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let pipe = || io::Error::other("no pipe");
        let input = process.stdin.take().ok_or_else(pipe)?;
        let output = process.stdout.take().ok_or_else(pipe)?;
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            let said = lines.map(|line| Said::read(&line));
            for said in said.chain([Said::Gone]) {
                if heard.send((name, said)).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, input })
    }

    /// Sends it a turn.
    ///
    /// # Errors
    /// When it has ended.
    pub fn tell(&mut self, session: usize, turn: usize) -> Result<(), io::Error> {
        writeln!(self.input, "turn {session} {turn}")
    }

    /// Has a fault strike at a call, counted from here on, or at none.
    ///
    /// # Errors
    /// When it has ended.
    pub fn strike(&mut self, at: Option<(usize, Moment)>) -> Result<(), io::Error> {
        match at {
            None => writeln!(self.input, "strike"),
            Some((call, Moment::Before)) => writeln!(self.input, "strike {call} before"),
            Some((call, Moment::After)) => writeln!(self.input, "strike {call} after"),
        }
    }

    /// Ends it, on Unix by `SIGKILL`: nothing of it runs any more when this returns.
    ///
    /// # Errors
    /// When the system fails.
    pub fn kill(mut self) -> Result<(), io::Error> {
        self.end()
    }

    fn end(&mut self) -> Result<(), io::Error> {
        self.process.kill()?;
        self.process.wait().map(drop)
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        // It may have ended already.
        self.end().ok();
    }
}

impl Said {
    /// Reads a line of the program.
    fn read(line: &str) -> Self {
        let told = || {
            let mut words = line.strip_prefix("told ")?.splitn(4, ' ');
            Some(Self::Told {
                session: words.next()?.parse().ok()?,
                turn: words.next()?.parse().ok()?,
                is_replayed: words.next()? == "again",
                text: words.next()?.to_owned(),
            })
        };
        match line {
            "here" => Self::Here,
            line => told().unwrap_or_else(|| Self::Failed(line.to_owned())),
        }
    }
}
