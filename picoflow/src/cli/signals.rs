//! What asks the program to stop.

use std::io;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

/// Ctrl-C from here on: what comes while nobody looks is kept.
#[derive(Debug)]
pub(super) struct Interrupts {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(windows)]
    interrupt: CtrlC,
}

impl Interrupts {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(windows)]
            interrupt: ctrl_c()?,
        })
    }

    pub(super) async fn next(&mut self) {
        self.interrupt.recv().await;
    }
}

/// Ctrl-C, and on Unix SIGTERM, which is how process managers end a program.
#[derive(Debug)]
pub(super) struct Stops {
    interrupts: Interrupts,
    #[cfg(unix)]
    terminate: Signal,
}

impl Stops {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupts: Interrupts::new()?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        tokio::select! {
            () = self.interrupts.next() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) {
        self.interrupts.next().await;
    }
}
