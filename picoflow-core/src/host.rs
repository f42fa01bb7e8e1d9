//! The seam between a turn and the world.

use crate::{
    BoxError, BoxFuture, BranchId, FlowId, ModelRef, Reply, StepId, ToolCall, TurnError,
    model::{ChatRequest, ModelError, ModelReply},
    tool::ToolResult,
};
use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::{Duration, SystemTime},
};

/// Where a turn runs.
///
/// Every clock reading, id, random number, wait, model call and tool call of a turn goes through it, and the turn as a
/// whole, so that a test can fix them, a durable engine can journal them, and whoever measures can see them.
///
/// What a host does not answer is answered by the system. [`SystemHost`], the default, leaves all to it and just runs what it
/// is given.
///
#[doc = include_str!("docs/host.md")]
pub trait Host: Send + Sync + 'static {
    /// The time. Default: the system's.
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    /// Random bits. The runtime uses them to tell ids apart, not for secrets. Default: different each time.
    fn random(&self) -> u64 {
        // Seeded by the system once per thread, and different each time: no system call for each message.
        RandomState::new().hash_one(())
    }

    /// An id for a new session. Default: a UUID of version 4, which nobody guesses.
    fn session_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    /// Waits. Default: by tokio's timer.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    /// Runs one whole turn: whatever [`Engine::run`](crate::Engine::run) does for it, the wait for its session and the
    /// write included. A turn that is sent again and has its answer comes here too, see [`Reply::replayed`].
    fn turn<'a>(
        &'a self,
        _site: TurnSite<'a>,
        turn: BoxFuture<'a, Result<Reply, TurnError>>,
    ) -> BoxFuture<'a, Result<Reply, TurnError>> {
        turn
    }

    /// Runs one attempt at a model call.
    fn model_call<'a>(
        &'a self,
        _site: CallSite<'a>,
        call: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        call
    }

    /// Runs one handler, for one call or for a group.
    fn tool_call<'a>(
        &'a self,
        _site: CallSite<'a>,
        call: BoxFuture<'a, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        call
    }

    /// What keeps the outcomes of calls, if the turn can be resumed. Default: nothing does.
    fn journal(&self) -> Option<&dyn Journal> {
        None
    }

    /// The host that [`Engine::over`](crate::Engine::over) uses when it is given `other` in the place of this one.
    /// Default: `other`. A host that only watches puts itself around it, so that it watches there too.
    fn around(&self, other: Arc<dyn Host>) -> Arc<dyn Host> {
        other
    }
}

/// What the calls of a turn came to, kept by a durable engine, so that a process that is killed in mid-turn can be
/// followed by another one that runs the same turn again: a model call that was answered is not made again, and a
/// handler that has ended does not run again. What it did to the session is part of the outcome.
///
/// A journal is one turn's. Calls that run at the same time are recorded in any order, and what a call inside another
/// one came to is recorded before the outer one's outcome. Hooks run again: what they do besides the session should be
/// fit to be done twice.
///
#[doc = include_str!("docs/journal.md")]
pub trait Journal: Send + Sync {
    /// The outcome recorded under this key in an earlier attempt at the turn.
    fn recall(&self, key: &str) -> Option<String>;

    /// Keeps an outcome, a text of JSON. The turn goes on when this is done.
    ///
    /// # Errors
    /// When it could not be kept: the turn ends with [`TurnError::Journal`](crate::TurnError::Journal).
    fn record(&self, key: String, outcome: String) -> BoxFuture<'_, Result<(), BoxError>>;
}

/// Which turn it is.
///
/// See [`Host`] for an example.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TurnSite<'a> {
    /// The flow.
    pub flow: &'a FlowId,
    /// The flow's model, which steps may replace by their own.
    pub model: &'a ModelRef,
    /// The session; `None` if it is a new one, whose id the [`Reply`] tells.
    pub session: Option<&'a str>,
    /// What the user says.
    pub message: Option<&'a str>,
}

/// Which call of a turn it is.
///
/// See [`Host`] for an example.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CallSite<'a> {
    /// The flow.
    pub flow: &'a FlowId,
    /// The session.
    pub session: &'a str,
    /// The step.
    pub step: &'a StepId,
    /// The branch of a [`run_steps`](crate::Cx::run_steps), if the call is made in one.
    pub branch: Option<&'a BranchId>,
    /// The id of the tool call, or of the first of a group; `None` for a model call.
    pub call: Option<&'a str>,
    /// The tool call, or those of a group; none for a model call.
    pub calls: &'a [ToolCall],
    /// What the model is asked; `None` for a tool call.
    pub request: Option<&'a ChatRequest>,
    /// Which attempt at a model's reply it is, from 1.
    pub attempt: u32,
    /// Whether the model is asked for its reply bit by bit.
    pub is_streamed: bool,
    /// How long it may take. After that it is dropped.
    pub limit: Duration,
}

/// The system's clock, random numbers and timers.
///
/// ```
/// use picoflow_core::{Host, SystemHost};
///
/// assert_ne!(SystemHost.session_id(), SystemHost.session_id());
/// assert!(SystemHost.now() > std::time::SystemTime::UNIX_EPOCH);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemHost;

impl Host for SystemHost {}

impl fmt::Debug for dyn Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn random_numbers_are_all_different_and_use_every_bit() {
        let numbers: HashSet<u64> = (0..10_000).map(|_| SystemHost.random()).collect();
        assert_eq!(numbers.len(), 10_000);
        for bit in 0..64 {
            let set = numbers.iter().filter(|&number| number >> bit & 1 == 1).count();
            assert!((4_500..5_500).contains(&set), "bit {bit}: {set}");
        }
    }
}
