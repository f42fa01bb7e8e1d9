//! Why a turn failed.

mod mistake;

use crate::{
    BoxError, FlowId, StepId,
    model::{Block, ModelError},
    session::StoreError,
};
use std::time::Duration;

/// Why [`Engine::run`](crate::Engine::run) gave no reply.
///
/// The stored session is as it was before the turn, but for one entry in its `error` list and what the turn cost in its
/// `tokens`, and the turn may be tried again.
///
/// ```
/// use picoflow_core::TurnError;
///
/// let error = TurnError::UnknownSession { session: "s-1".to_owned() };
/// assert_eq!(error.code(), "SESSION_UNKNOWN");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The engine has no such flow.
    #[error("flow `{flow}` is not registered: add it with `Engine::builder().flow(..)`")]
    UnknownFlow {
        /// The flow asked for.
        flow: FlowId,
    },
    /// The store has no such session.
    #[error("session `{session}` does not exist: start a new one by a turn without a session")]
    UnknownSession {
        /// The session asked for.
        session: String,
    },
    /// The session has ended.
    #[error("session `{session}` has ended: start a new one by a turn without a session")]
    EndedSession {
        /// The session asked for.
        session: String,
    },
    /// The session is another flow's.
    #[error("Session '{session}' belongs to flow '{actual}', not '{asked}'.")]
    FlowMismatch {
        /// The session asked for.
        session: String,
        /// Whose it is.
        actual: FlowId,
        /// The flow asked for.
        asked: FlowId,
    },
    /// The session cannot be used with this flow as it is now.
    #[error("session `{session}` does not fit flow `{flow}`: {reason}")]
    Invariant {
        /// The session asked for.
        session: String,
        /// The flow.
        flow: FlowId,
        /// What does not fit.
        reason: String,
    },
    /// The session was written by a newer program.
    #[error(
        "session `{session}` is of version {found} of {what}, and this program knows no version after {known}: bring the program up to date"
    )]
    NewerSession {
        /// The session asked for.
        session: String,
        /// Of what: `the document`, or `flow` and its name.
        what: String,
        /// The version that it has.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// The session is of an older version of the flow and could not be brought to the present one.
    #[error(
        "session `{session}` could not be brought from version {from} of flow `{flow}` to version {to}: {source}"
    )]
    Migration {
        /// The session asked for.
        session: String,
        /// The flow.
        flow: FlowId,
        /// The version that it has.
        from: u32,
        /// The version of the flow.
        to: u32,
        /// What `Flow::migrate` said, or what is wrong with what it returned.
        source: BoxError,
    },
    /// Somebody else wrote the session during the turn. Nothing of this turn was kept.
    #[error("Session '{session}' was changed or removed by another request.")]
    Conflict {
        /// The session.
        session: String,
    },
    /// A turn on a running session brings nothing to answer.
    #[error("the message is empty: give the turn a text with `Turn::message`")]
    EmptyMessage,
    /// The message is too large.
    #[error(
        "the message has {bytes} bytes, the limit is {limit}: raise `Limits::message_bytes` or send less"
    )]
    MessageTooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The turn's token is no name.
    #[error(
        "the turn's token `{token}` is not 1 to 128 visible ASCII characters: give it a UUID, or leave it out"
    )]
    InvalidToken {
        /// The token.
        token: String,
    },
    /// A turn that starts a session has the id of a session that has gone on since.
    #[error(
        "the token of a first turn is session `{session}`, which has had other turns since: give a new session a new token"
    )]
    UsedToken {
        /// The session.
        session: String,
    },
    /// A turn has the token of another turn, which said something else. It did not run.
    #[error(
        "the token `{token}` is that of another turn of session `{session}`: send a turn again as it was, and give each new turn a new token"
    )]
    ReusedToken {
        /// The session.
        session: String,
        /// The token.
        token: String,
    },
    /// A batch cannot be run as it is.
    #[error("batch `{batch}`: {reason}")]
    InvalidBatch {
        /// The batch's name.
        batch: String,
        /// What is wrong.
        reason: String,
    },
    /// The turn would make the session too large to be stored.
    #[error(
        "session `{session}` would have {bytes} bytes, the limit is {limit}: let steps forget or summarise their history, keep large data elsewhere, or raise `Limits::document_bytes`"
    )]
    SessionTooLarge {
        /// The session.
        session: String,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// `config` nests deeper than can be stored.
    #[error(
        "`config` has more than {limit} levels of objects and arrays: nest it less, or put it into a text"
    )]
    ConfigTooDeep {
        /// The limit.
        limit: usize,
    },
    /// `config` differs from the one that the session began with.
    #[error("session `{session}` began with another `config`: a session keeps the first one")]
    ConfigMismatch {
        /// The session asked for.
        session: String,
    },
    /// A transition names a step that the flow does not have.
    #[error("Step '{target}' is not defined in flow '{flow}'.")]
    UnknownStep {
        /// The step named.
        target: StepId,
        /// The flow.
        flow: FlowId,
    },
    /// The turn went round too often.
    #[error("step `{step}` reached the limit of {limit} {what} in one turn")]
    Limit {
        /// The step at which it happened.
        step: StepId,
        /// What is limited: `model rounds`, `transitions`, `levels of children`, `children`.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
    /// The model failed, after all attempts.
    #[error("step `{step}`: {source}")]
    Model {
        /// The step that asked.
        step: StepId,
        /// Why.
        source: ModelError,
    },
    /// The provider refused to answer, and neither the step nor the flow had an answer of its own.
    #[error(
        "step `{step}`: the provider refused to answer: {block}; `on_model_blocked` could answer in its place"
    )]
    Blocked {
        /// The step that asked.
        step: StepId,
        /// What the provider said.
        block: Box<Block>,
    },
    /// The model's replies were of no use, after all attempts.
    #[error(
        "step `{step}`: the model gave no usable reply in {attempts} attempts; the last was refused because {reason}"
    )]
    NoReply {
        /// The step that asked.
        step: StepId,
        /// How often it was asked.
        attempts: u32,
        /// What was wrong with the last reply.
        reason: String,
    },
    /// A handler returned `ToolError::abort`.
    #[error("step `{step}`, tool `{tool}`: {source}")]
    Aborted {
        /// The step.
        step: StepId,
        /// The tool, or the names of a group.
        tool: String,
        /// What the handler said.
        source: BoxError,
    },
    /// A hook failed.
    #[error("step `{step}`, `{hook}`: {source}")]
    Hook {
        /// The step.
        step: StepId,
        /// The hook.
        hook: &'static str,
        /// What the hook said.
        source: BoxError,
    },
    /// Code of the flow used the API in a way that cannot be served.
    #[error("step `{step}`: {reason}")]
    Misuse {
        /// The step.
        step: StepId,
        /// What, and the way out.
        reason: String,
    },
    /// A child did what only the current step may do: move the cursor, or speak to the user. It fails the child, and the
    /// turn unless the step that started the child handles the [`ChildError`](crate::ChildError).
    #[error(
        "step `{step}` runs as a child, and `{builder}` by `{by}` of {owner} would move the cursor or speak to the user: answer with `direct_result`, go on in the child with `stay_with` or `Json`, or leave the tool out of the child by `hide_tools`"
    )]
    ChildTransition {
        /// The child's step.
        step: StepId,
        /// The builder, such as `go`.
        builder: &'static str,
        /// The tool, the names of a group, or the hook.
        by: String,
        /// Whose it is: the step's, a base's, or the flow's.
        owner: String,
    },
    /// A hook panicked. (A panic in a handler is an internal error of the tool and does not fail the turn.)
    #[error("the turn panicked: {message}")]
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// Nobody waits for the reply any more.
    #[error("the turn was cancelled")]
    Cancelled,
    /// The turn took longer than `Turn::timeout`.
    #[error("the turn took longer than {limit:?}")]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
    /// What a call came to could not be kept, or not be read again.
    #[error("the journal failed at `{key}`: {source}; run the turn again")]
    Journal {
        /// The call.
        key: String,
        /// Why.
        source: BoxError,
    },
}

impl TurnError {
    /// A name for programs, such as `SESSION_CONFLICT`. It does not change.
    ///
    /// ```
    /// use picoflow_core::TurnError;
    ///
    /// assert_eq!(TurnError::Cancelled.code(), "TURN_CANCELLED");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownFlow { .. } => "FLOW_UNKNOWN",
            Self::UnknownSession { .. } => "SESSION_UNKNOWN",
            Self::EndedSession { .. } => "SESSION_ENDED",
            Self::FlowMismatch { .. } => "SESSION_FLOW_MISMATCH",
            Self::Invariant { .. } => "SESSION_FLOW_INVARIANT",
            Self::NewerSession { .. } => "SESSION_NEWER",
            Self::Migration { .. } => "SESSION_MIGRATION",
            Self::Conflict { .. } => "SESSION_CONFLICT",
            Self::EmptyMessage => "MESSAGE_EMPTY",
            Self::MessageTooLarge { .. } => "MESSAGE_TOO_LARGE",
            Self::InvalidToken { .. } => "TURN_TOKEN_INVALID",
            Self::UsedToken { .. } => "TURN_TOKEN_USED",
            Self::ReusedToken { .. } => "TURN_TOKEN_REUSED",
            Self::InvalidBatch { .. } => "BATCH_INVALID",
            Self::SessionTooLarge { .. } => "SESSION_TOO_LARGE",
            Self::ConfigTooDeep { .. } => "CONFIG_TOO_DEEP",
            Self::ConfigMismatch { .. } => "SESSION_CONFIG_MISMATCH",
            Self::UnknownStep { .. } => "STEP_UNKNOWN",
            Self::Limit { .. } => "TURN_LIMIT",
            Self::Model { .. } => "MODEL_FAILED",
            Self::Blocked { .. } => "MODEL_BLOCKED",
            Self::NoReply { .. } => "MODEL_NO_REPLY",
            Self::Aborted { .. } => "TOOL_ABORTED",
            Self::Hook { .. } => "HOOK_FAILED",
            Self::Misuse { .. } => "STEP_MISUSE",
            Self::ChildTransition { .. } => "CHILD_TRANSITION",
            Self::Panicked { .. } => "TURN_PANICKED",
            Self::Cancelled => "TURN_CANCELLED",
            Self::TimedOut { .. } => "TURN_TIMED_OUT",
            Self::Store(_) => "SESSION_STORE_ERROR",
            Self::Journal { .. } => "TURN_JOURNAL",
        }
    }

    /// The step at which it happened, if it happened in one.
    ///
    /// ```
    /// use picoflow_core::TurnError;
    ///
    /// let error = TurnError::Limit { step: "Ask".into(), what: "model rounds", limit: 16 };
    /// assert_eq!(error.step().unwrap(), "Ask");
    /// assert_eq!(TurnError::Cancelled.step(), None);
    /// ```
    pub const fn step(&self) -> Option<&StepId> {
        match self {
            Self::Limit { step, .. }
            | Self::Model { step, .. }
            | Self::Blocked { step, .. }
            | Self::NoReply { step, .. }
            | Self::Aborted { step, .. }
            | Self::Hook { step, .. }
            | Self::Misuse { step, .. }
            | Self::ChildTransition { step, .. } => Some(step),
            _ => None,
        }
    }

    /// Whether the turn itself failed, as opposed to being refused or to meeting a store that fails. Such
    /// a failure is noted in the session.
    pub(crate) const fn is_noted(&self) -> bool {
        matches!(
            self,
            Self::UnknownStep { .. }
                | Self::SessionTooLarge { .. }
                | Self::Limit { .. }
                | Self::Model { .. }
                | Self::Blocked { .. }
                | Self::NoReply { .. }
                | Self::Aborted { .. }
                | Self::Hook { .. }
                | Self::Misuse { .. }
                | Self::ChildTransition { .. }
                | Self::Panicked { .. }
        )
    }
}

impl From<StoreError> for TurnError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { session } => Self::Conflict { session },
            error => Self::Store(error),
        }
    }
}
