//! Answers as a recorded model did.

use super::{
    Asked, Bit, RecordedCall, check_reply,
    diff::diff,
    is_turn,
    turn::{Answer, RecordedTurn},
};
use crate::{
    BoxFuture, BoxStream, ModelReply, StepId, Turn,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent},
};
use futures_util::stream;
use std::{
    fmt, fs, io,
    path::Path,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// A model that answers each request as it was answered when it was recorded by a [`Recorder`](super::Recorder).
///
/// A request that was not recorded, because a prompt, a tool or a transition has changed, fails with a
/// [`NotRecorded`], which shows what differs. Equal requests are answered in the order of the recording. A stream comes in
/// the recorded bits, without waiting. Calls of turns that led to nothing are left out.
///
/// See [`Recorder`](super::Recorder) for an example.
pub struct Replay {
    calls: Mutex<Vec<Recorded>>,
    /// The first request that was not recorded.
    pub(super) missed: OnceLock<NotRecorded>,
    pub(super) turns: Vec<(Turn, Answer)>,
}

struct Recorded {
    asked: Asked,
    said: Vec<Bit>,
    /// Nothing, once it was given.
    result: Option<Result<ModelReply, ModelError>>,
}

impl Replay {
    /// Reads a recording.
    /// See [`Recorder`](super::Recorder) for an example.
    ///
    /// # Errors
    /// When the file cannot be read, or a line of it is neither a recorded call nor a turn.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        fs::read_to_string(path)?.parse()
    }

    /// The calls that were recorded and not made, by their steps. A test that is done looks that there are none.
    ///
    /// ```
    /// let replay: picoflow::testing::Replay = "".parse()?;
    /// assert!(replay.rest().is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rest(&self) -> Vec<StepId> {
        let calls = self.calls();
        let rest = calls.iter().filter(|call| call.result.is_some());
        rest.map(|call| call.asked.step.clone()).collect()
    }

    // Nothing that holds the lock can leave a call half changed.
    fn calls(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &ChatRequest) -> (Vec<Bit>, Result<ModelReply, ModelError>) {
        let asked = Asked::from(request);
        let mut calls = self.calls();
        let mut left = calls.iter_mut().filter(|call| call.result.is_some());
        if let Some(call) = left.find(|call| call.asked == asked)
            && let Some(result) = call.result.take()
        {
            return (std::mem::take(&mut call.said), result);
        }
        let next = calls.iter().find(|call| call.result.is_some());
        let error = NotRecorded {
            step: asked.step.clone(),
            diff: next.map(|next| diff(("recorded", &next.asked), ("asked", &asked))),
        };
        self.missed.get_or_init(|| error.clone());
        (Vec::new(), Err(ModelError::permanent(error)))
    }
}

impl std::str::FromStr for Replay {
    type Err = io::Error;

    /// Reads a recording that is in memory.
    fn from_str(text: &str) -> io::Result<Self> {
        let (mut calls, mut turns) = (Vec::new(), Vec::new());
        // How many calls led to something.
        let mut counted = 0;
        let mut read = |line: &str| {
            if is_turn(line)? {
                let RecordedTurn { turn, reply } = serde_json::from_str(line)?;
                match reply {
                    Some(answer) => {
                        counted = calls.len();
                        turns.push((turn.into_owned(), answer));
                    }
                    None => calls.truncate(counted),
                }
            } else {
                let call: RecordedCall<'_> = serde_json::from_str(line)?;
                check_reply(line)?;
                calls.push(Recorded {
                    asked: call.asked.into_owned(),
                    said: call.said.into_iter().map(|(_, bit)| bit).collect(),
                    result: Some(call.result),
                });
            }
            Ok(())
        };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            read(line).map_err(|error: serde_json::Error| {
                let text = format!("line {number} is no recorded call: {error}");
                io::Error::new(io::ErrorKind::InvalidData, text)
            })?;
        }
        Ok(Self { calls: Mutex::new(calls), missed: OnceLock::new(), turns })
    }
}

impl ChatModel for Replay {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let (_, result) = self.answer(&request);
        Box::pin(async { result })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let (said, result) = self.answer(&request);
        let said = said.into_iter().map(|bit| {
            Ok(match bit {
                Bit::Text(text) => ModelEvent::Text(text),
                Bit::Reasoning(text) => ModelEvent::Reasoning(text),
            })
        });
        Box::pin(stream::iter(said.chain([result.map(ModelEvent::Reply)])))
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("rest", &self.rest()).finish()
    }
}

/// A request that was not recorded: the source of the [`ModelError::Permanent`] that a [`Replay`] gives.
///
/// ```
/// use picoflow::{model::{ChatModel, ChatRequest, ModelError}, prelude::*, testing::{NotRecorded, Replay}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let replay: Replay = "".parse()?;
/// let request = ChatRequest::new(ModelRef::new("openai", "gpt-4o-mini"));
/// let ModelError::Permanent(error) = replay.generate(request).await.unwrap_err() else { panic!() };
/// let error: &NotRecorded = error.downcast_ref().unwrap();
/// assert!(error.diff.is_none());
/// assert!(error.to_string().starts_with("all recorded calls have been made"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
#[non_exhaustive]
pub struct NotRecorded {
    /// The step that asked.
    pub step: StepId,
    /// What differs from the next recorded call that has not been made, as a unified diff: `-` is the recording. Nothing if
    /// all of them have been made.
    pub diff: Option<String>,
}

impl NotRecorded {
    fn text(&self) -> String {
        let step = &self.step;
        self.diff.as_ref().map_or_else(
            || {
                format!("all recorded calls have been made, and step `{step}` makes one more: record anew if that is meant")
            },
            |diff| {
                format!("this call of step `{step}` was not recorded: record anew if the change is meant\n{diff}")
            },
        )
    }
}
