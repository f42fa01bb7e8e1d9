//! What asks the program to stop.

use std::{io, process::ExitCode};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Ctrl-C, or SIGINT.
    Interrupt,
    /// SIGTERM, which is how process managers end a program.
    #[cfg(unix)]
    Terminate,
}

impl Stop {
    /// What a shell says of a program that was ended by this.
    pub(super) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Interrupt => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
        })
    }
}

/// Requests to stop from here on: what comes while nobody looks is kept.
#[derive(Debug)]
pub(super) struct Stops {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(windows)]
    interrupt: CtrlC,
    #[cfg(unix)]
    terminate: Signal,
}

impl Stops {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(windows)]
            interrupt: ctrl_c()?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.terminate.recv() => Stop::Terminate,
        }
    }

    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Stop {
        self.interrupt.recv().await;
        Stop::Interrupt
    }
}
