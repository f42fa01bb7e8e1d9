//! The session document: all that outlives a turn.
//!
//! It keeps the field names of the reference product, so that its tools and habits carry over.

mod compact;
mod history;
mod image;
mod keep;
mod lock;
mod memory_store;
mod message;
mod repair;
mod size;
mod store;
mod timestamp;

pub use history::{HistoryFault, check_history, check_request};
pub use image::{Image, ImageSource};
pub(crate) use keep::Keeper;
pub(crate) use lock::SessionLocks;
pub use memory_store::MemoryStore;
pub(crate) use message::{IMAGES, REASONING, SUMMARY};
pub use message::{Message, MessageKind, ToolStatus};
pub(crate) use repair::{Repaired, repair};
pub(crate) use size::larger_than;
pub use store::{SessionQuery, SessionStore, SessionSummary, StoreError};
pub use timestamp::Timestamp;

use crate::{
    ContentType, FlowId, StepId,
    model::{ModelRef, Usage},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, str::FromStr, sync::Arc};

/// The version of the document format that this build writes.
///
#[doc = include_str!("docs/session_version.md")]
pub const SESSION_VERSION: u32 = 1;

/// A stored conversation.
///
/// ```
/// use picoflow_core::session::{RunStatus, Session};
///
/// let document = r#"{
///     "id": "s-1", "revision": 3, "version": 1, "runStatus": "running",
///     "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:15:00.000Z",
///     "flow": { "name": "BasicFlow", "model": { "provider": "openai", "name": "gpt-4o-mini" },
///               "currentStep": "NameStep", "steps": [{ "name": "NameStep", "state": { "name": "Ann" } }] }
/// }"#;
/// let session: Session = serde_json::from_str(document)?;
/// assert_eq!(session.run_status, RunStatus::Running);
/// assert_eq!(session.state("NameStep").unwrap()["name"], "Ann");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Session {
    /// UUID v4.
    pub id: String,
    /// Compare-and-swap token: 0 at creation, one more with every write.
    pub revision: u64,
    /// Version of the document format, see [`SESSION_VERSION`].
    pub version: u32,
    /// Whether the conversation goes on.
    pub run_status: RunStatus,
    /// When the session was created.
    pub created_on: Timestamp,
    /// When it was last written.
    pub save_on: Timestamp,
    /// Turns that it has had. A failed one does not count.
    #[serde(default)]
    pub turns: u64,
    /// The newest turn, if its caller gave it a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<LastTurn>,
    /// Tokens that the models of this session reported.
    #[serde(default)]
    pub tokens: Usage,
    /// What `Cx::log` wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogEntry>,
    /// Errors: of failed turns, and of handlers that failed without failing the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error: Vec<LogEntry>,
    /// Warnings: what was not an error but is worth a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<LogEntry>,
    /// The conversation.
    pub flow: FlowState,
}

/// What a turn with a token answered, for a caller that asks again because it did not hear the answer.
///
/// See [`Turn::token`](crate::Turn::token) for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LastTurn {
    /// The caller's token.
    pub token: String,
    /// A digest of the turn as it was sent: SHA-256 of all that it says, as 64 hexadecimal digits. Documents that were written
    /// before there was one have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The text of the reply.
    pub text: String,
    /// Its content type.
    #[serde(default)]
    pub content_type: ContentType,
}

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunStatus {
    /// It takes turns.
    Running,
    /// It has ended; a turn on it is an error.
    Completed,
}

impl RunStatus {
    /// The status as documents write it.
    ///
    /// ```
    /// use picoflow_core::session::RunStatus;
    ///
    /// assert_eq!("completed".parse(), Ok(RunStatus::Completed));
    /// assert_eq!(RunStatus::Completed.as_str(), "completed");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
        }
    }
}

impl FromStr for RunStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Running, Self::Completed];
        let found = all.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

/// A text that is no [`RunStatus`].
///
/// ```
/// use picoflow_core::session::RunStatus;
///
/// let error = "paused".parse::<RunStatus>().unwrap_err();
/// assert_eq!(error.to_string(), "`paused` is no run status: `running` or `completed`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no run status: `running` or `completed`")]
pub struct UnknownStatus(String);

/// The flow's part of a [`Session`].
///
#[doc = include_str!("docs/session_parts.md")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FlowState {
    /// The flow, for life.
    pub name: FlowId,
    /// The flow's version when the session was last written by a turn that succeeded: `Flow::version`.
    #[serde(default)]
    pub version: u32,
    /// The flow's model when the session was last written.
    pub model: ModelRef,
    /// `config`: what the first turn was given.
    #[serde(default = "empty_object")]
    pub context: Arc<Value>,
    /// The step that takes the next turn.
    pub current_step: StepId,
    /// The newest moves, up to 1,000.
    #[serde(default)]
    pub sequence: Vec<SequenceEntry>,
    /// State of each step that has any.
    #[serde(default)]
    pub steps: Vec<StepState>,
    /// Histories by namespace.
    #[serde(default)]
    pub memory: BTreeMap<Arc<str>, Memory>,
}

/// Durable state of one step.
///
/// See [`FlowState`] for an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepState {
    /// The step.
    pub name: StepId,
    /// Always an object.
    #[serde(default = "empty_object")]
    pub state: Arc<Value>,
}

/// One move of the cursor, or one start of a child.
///
/// See [`FlowState`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SequenceEntry {
    /// 1 for a move of the cursor, one more for each level of nesting.
    pub level: u32,
    /// The step that was entered.
    pub step_name: StepId,
}

/// The history of one namespace.
///
/// A step's system message, if it has a prompt, stands at index 0. See [`FlowState`] for an example.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "repair::Stored")]
#[non_exhaustive]
pub struct Memory {
    /// The messages, oldest first.
    #[serde(default)]
    pub messages: Arc<Vec<Arc<Message>>>,
    /// What was said before them, in a few words, if a [`Compaction`](crate::Compaction) made room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Arc<str>>,
    /// The id of the newest message that the summary speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summarized_through_id: Option<Arc<str>>,
    /// Whether providers would refuse its calls as they were read.
    #[serde(skip)]
    doubt: repair::Doubt,
}

/// One entry of a session's `log`, `error` or `warn` list.
///
/// See [`FlowState`] for an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogEntry {
    /// When it was written.
    pub timestamp: Timestamp,
    /// `log`, `error` or `warn`.
    pub level: Level,
    /// What happened.
    pub message: String,
    /// What else is known: `step`, `tool`, `code`.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The list that a [`LogEntry`] belongs to.
///
/// See [`FlowState`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Level {
    /// For the record.
    Log,
    /// Worth a look.
    Warn,
    /// Something failed.
    Error,
}

impl Session {
    /// The durable state of a step: an object, or nothing if the step has none.
    /// See [`Session`] for an example.
    pub fn state(&self, step: impl AsRef<str>) -> Option<&Value> {
        let step = step.as_ref();
        self.flow.steps.iter().find(|entry| entry.name == *step).map(|entry| &*entry.state)
    }

    /// Whether the session has ended.
    pub fn is_completed(&self) -> bool {
        self.run_status == RunStatus::Completed
    }
}

impl Memory {
    /// The conversation without the system message.
    /// See [`FlowState`] for an example.
    pub fn conversation(&self) -> &[Arc<Message>] {
        match self.messages.split_first() {
            Some((first, rest)) if first.is_system() => rest,
            _ => &self.messages,
        }
    }

    /// The newest message, system message aside.
    /// See [`FlowState`] for an example.
    pub fn last(&self) -> Option<&Message> {
        self.conversation().last().map(|message| &**message)
    }
}

pub(crate) fn empty_object() -> Arc<Value> {
    Arc::new(Value::Object(Map::new()))
}
