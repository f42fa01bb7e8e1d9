//! The turns of a recorded conversation, and how it is held again.

use super::{NotRecorded, Replay, diff::diff};
use crate::{Engine, Reply, StepId, SystemHost, Turn, TurnError, session::MemoryStore};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, sync::Arc};

/// The line behind the calls of a turn.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTurn<'a> {
    pub(super) turn: Cow<'a, Turn>,
    /// Nothing, if the turn failed or was cancelled: then its calls led to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reply: Option<Answer>,
}

/// What a turn came to, without what differs from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    text: String,
    step: StepId,
    completed: bool,
}

impl From<&Reply> for Answer {
    fn from(reply: &Reply) -> Self {
        Self { text: reply.text.clone(), step: reply.step.clone(), completed: reply.completed }
    }
}

impl Replay {
    /// Holds the recorded conversation again, with the flows of this engine, in a store of its own: each turn has to make
    /// the recorded calls, all of them, and come to the recorded reply. The handlers run, with all that they do.
    ///
    /// Only a recording with [turns](super::Recorder::turn) can be held again.
    /// See [`Recorder::turn`](super::Recorder::turn) for an example.
    ///
    /// # Errors
    /// The first difference.
    pub async fn run(mut self, engine: &Engine) -> Result<(), ReplayError> {
        let turns = std::mem::take(&mut self.turns);
        if turns.is_empty() {
            return Err(ReplayError::NoTurns);
        }
        let replay = Arc::new(self);
        let engine = engine.with_model(Arc::clone(&replay)).over(MemoryStore::new(), SystemHost);
        let mut session = None;
        for (number, (turn, recorded)) in (1..).zip(turns) {
            let turn = match &session {
                Some(id) => turn.session(id),
                None => turn,
            };
            let ended = engine.run(turn).await;
            // Behind it may be a hook that answers when a model fails.
            if let Some(missed) = replay.missed.get() {
                return Err(ReplayError::NotRecorded { turn: number, source: missed.clone() });
            }
            let reply = ended
                .map_err(|source| ReplayError::Turn { turn: number, source: Box::new(source) })?;
            let answer = Answer::from(&reply);
            if answer != recorded {
                let diff = diff(("recorded", &recorded), ("replied", &answer));
                return Err(ReplayError::Reply { turn: number, diff });
            }
            session = Some(reply.session);
        }
        match replay.rest() {
            rest if rest.is_empty() => Ok(()),
            steps => Err(ReplayError::Rest { steps }),
        }
    }
}

/// Where a conversation leaves its recording, see [`Replay::run`].
///
/// ```
/// use picoflow::testing::ReplayError;
///
/// let error = ReplayError::Rest { steps: vec!["Ask".into(), "Ask".into()] };
/// assert_eq!(error.to_string(), "calls that were recorded were not made, of the steps: Ask, Ask");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The recording has calls alone.
    #[error(
        "the recording does not say what the user said: write the turns down with `Recorder::turn`, as `chat --record` does"
    )]
    NoTurns,
    /// A call differs from the recorded one.
    #[error("turn {turn}: {source}")]
    NotRecorded {
        /// The turn's number, from 1.
        turn: usize,
        /// What differs.
        source: NotRecorded,
    },
    /// A turn failed.
    #[error("turn {turn}: {source}")]
    Turn {
        /// The turn's number, from 1.
        turn: usize,
        /// Why.
        source: Box<TurnError>,
    },
    /// A turn came to something else.
    #[error("turn {turn} comes to another reply\n{diff}")]
    Reply {
        /// The turn's number, from 1.
        turn: usize,
        /// What differs, as a unified diff: `-` is the recording.
        diff: String,
    },
    /// Not all calls were made.
    #[error(
        "calls that were recorded were not made, of the steps: {}",
        .steps.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
    )]
    Rest {
        /// The step of each.
        steps: Vec<StepId>,
    },
}
