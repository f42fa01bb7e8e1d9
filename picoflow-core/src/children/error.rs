//! Why a child failed, and why a batch of them did.

use super::Batch;
use crate::{BoxError, FlowId, StepId, TurnError};
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc, time::Duration};

/// Which branch of which [`Cx::run_steps`](crate::Cx::run_steps) it is.
///
/// As text it is the path from the step whose turn it is: `Scan[tea]/Price[#0]` is the first child, without a key, that
/// the branch `tea` of `Scan` started.
///
/// See [`BatchError`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BranchId {
    /// The child's step.
    pub step: StepId,
    /// The child's key.
    pub key: Option<String>,
    /// The child's place in the request, from 0.
    pub index: usize,
    /// The branch that started it; `None` if the current step of the turn did.
    pub parent: Option<Arc<Self>>,
}

impl fmt::Display for BranchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = &self.parent {
            write!(f, "{parent}/")?;
        }
        match &self.key {
            Some(key) => write!(f, "{}[{key}]", self.step),
            None => write!(f, "{}[#{}]", self.step, self.index),
        }
    }
}

/// Why a child of [`Cx::run_step`](crate::Cx::run_step) or one of [`Cx::run_steps`](crate::Cx::run_steps) failed.
///
/// A child that moves the cursor or misuses the API is a mistake in the flow's code
/// ([`TurnError::ChildTransition`], [`TurnError::Misuse`]). Code that handles the error saves the turn, and the session
/// keeps a warning; code that passes the error on by `?` fails the turn with it.
///
/// See [`Children`](crate::Children) for an example.
#[derive(Clone, Debug, thiserror::Error)]
#[error("child `{}`: {failure}", self.name())]
#[non_exhaustive]
pub struct ChildError {
    /// The child's step.
    pub step: StepId,
    /// Which branch it was; `None` for a child of `run_step` outside of one.
    pub branch: Option<Arc<BranchId>>,
    /// What happened.
    #[source]
    pub failure: ChildFailure,
}

/// What made a child fail.
///
/// See [`Children`](crate::Children) for an example.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildFailure {
    /// It failed by itself: a hook, its model, a limit.
    #[error(transparent)]
    Failed(Arc<TurnError>),
    /// It took longer than its own time-out or that of its batch. Nothing of it is kept, also if it came to an end
    /// meanwhile.
    #[error(
        "took longer than {limit:?}: raise `Child::timeout`, `Children::timeout` or `Limits::child_timeout`"
    )]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// It was told to come to an end and did so without a result.
    #[error("was cancelled")]
    Cancelled,
    /// It was still waiting when its batch was cancelled.
    #[error("was cancelled before it started")]
    NotStarted,
    /// It was told to come to an end, and did not within the grace period. It was stopped where it waited; its `on_exit`
    /// did not run.
    #[error(
        "was cancelled and did not stop within {grace:?}: watch `Cx::cancellation`, or raise `Limits::child_grace`"
    )]
    Unresponsive {
        /// The grace period.
        grace: Duration,
    },
    /// The only child of its batch, as of a `run_step` within a branch, and the batch failed.
    #[error(transparent)]
    NotKept(Arc<BatchError>),
}

impl ChildError {
    pub(crate) fn new(step: &StepId, failure: impl Into<ChildFailure>) -> Self {
        Self { step: step.clone(), branch: None, failure: failure.into() }
    }

    pub(crate) fn of(branch: &Arc<BranchId>, failure: ChildFailure) -> Self {
        Self { step: branch.step.clone(), branch: Some(Arc::clone(branch)), failure }
    }

    /// A name for programs, as in [`TurnError::code`]. It does not change.
    /// See [`Children`](crate::Children) for an example.
    pub fn code(&self) -> &'static str {
        match &self.failure {
            ChildFailure::Failed(error) => error.code(),
            ChildFailure::TimedOut { .. } => "PARALLEL_TIMED_OUT",
            ChildFailure::Cancelled => "PARALLEL_CANCELLED",
            ChildFailure::NotStarted => "PARALLEL_NOT_STARTED",
            ChildFailure::Unresponsive { .. } => "PARALLEL_UNRESPONSIVE",
            ChildFailure::NotKept(error) => error.code(),
        }
    }

    fn name(&self) -> &dyn fmt::Display {
        match &self.branch {
            Some(branch) => branch,
            None => &self.step,
        }
    }
}

impl From<TurnError> for ChildFailure {
    fn from(error: TurnError) -> Self {
        Self::Failed(Arc::new(error))
    }
}

impl From<Arc<TurnError>> for ChildFailure {
    fn from(error: Arc<TurnError>) -> Self {
        Self::Failed(error)
    }
}

impl From<BatchError> for ChildFailure {
    fn from(error: BatchError) -> Self {
        Self::NotKept(Arc::new(error))
    }
}

/// Why a whole [`Cx::run_steps`](crate::Cx::run_steps) failed. Nothing of any child is kept but the tokens that its
/// model calls cost.
///
#[doc = include_str!("../docs/batch_error.md")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// An option that cannot be served. Nothing started.
    #[error("step `{step}`, `run_steps`: {reason}")]
    Configuration {
        /// The step that asked.
        step: StepId,
        /// What, and the way out.
        reason: &'static str,
    },
    /// A child's step is none of the flow's. Nothing started.
    #[error("Step '{step}' is not defined in flow '{flow}'.")]
    UnknownStep {
        /// The step named.
        step: StepId,
        /// The child's place in the request.
        index: usize,
        /// The flow.
        flow: FlowId,
    },
    /// A step is started more than once, and two of its children cannot be told apart. Nothing started.
    #[error(
        "children {first} and {second} both start step `{step}` and {}: give each of them a key of its own by `Child::key`",
        no_key(.key.as_deref())
    )]
    DuplicateKey {
        /// The step.
        step: StepId,
        /// The key that both have; `None` if one of them has none.
        key: Option<String>,
        /// The place in the request of the first.
        first: usize,
        /// The place in the request of the second.
        second: usize,
    },
    /// A child's step refused its parameters. Nothing started.
    #[error("child `{branch}`: `check_params` refused the parameters: {source}")]
    Params {
        /// The child.
        branch: Arc<BranchId>,
        /// What the step said.
        source: BoxError,
    },
    /// The turn has no room for so many children or levels of them. Nothing started.
    #[error(
        "step `{step}`: `run_steps` would pass the limit of {limit} {what} in one turn: start fewer, or raise it in `Flow::limits`"
    )]
    Limit {
        /// The step that asked.
        step: StepId,
        /// What is limited: `children` or `levels of children`.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
    /// A child misused the API, such as by writing another step's state.
    #[error("child `{branch}`: {source}")]
    Mutation {
        /// The child.
        branch: Arc<BranchId>,
        /// What it did.
        source: Arc<TurnError>,
    },
    /// Two children wrote one field, and no channel says how the values go together, or its channel refuses that.
    #[error(
        "children `{first}` and `{second}` both wrote {}: {reason}",
        place(.step, .field, .key.as_deref())
    )]
    Conflict {
        /// Whose state it is.
        step: StepId,
        /// The field.
        field: String,
        /// The key in the field's object, for the channels that write one.
        key: Option<String>,
        /// Who wrote it first, in the order of the request.
        first: Arc<BranchId>,
        /// Who wrote it too.
        second: Arc<BranchId>,
        /// What is wrong with that, or the way out.
        reason: &'static str,
    },
    /// A child contributed what its channel does not take.
    #[error("child `{branch}` contributed to {}: channel `{channel}` {reason}", place(.step, .field, None))]
    Contribution {
        /// Whose state it is.
        step: StepId,
        /// The field.
        field: String,
        /// The channel.
        channel: &'static str,
        /// The child.
        branch: Arc<BranchId>,
        /// What it takes, and what came.
        reason: String,
    },
    /// The field held something before that its channel cannot go on from.
    #[error("{} cannot be contributed to: channel `{channel}` {reason}", place(.step, .field, None))]
    State {
        /// Whose state it is.
        step: StepId,
        /// The field.
        field: String,
        /// The channel.
        channel: &'static str,
        /// What it needs, and what is there.
        reason: String,
    },
    /// A reducer of the flow's own failed.
    #[error("the reducer of {} failed at child `{branch}`: {source}", place(.step, .field, None))]
    Reducer {
        /// Whose state it is.
        step: StepId,
        /// The field.
        field: String,
        /// Whose contribution it was given.
        branch: Arc<BranchId>,
        /// What it said.
        source: BoxError,
    },
    /// A reducer of the flow's own panicked.
    #[error("the reducer of {} panicked at child `{branch}`: {message}", place(.step, .field, None))]
    ReducerPanicked {
        /// Whose state it is.
        step: StepId,
        /// The field.
        field: String,
        /// Whose contribution it was given.
        branch: Arc<BranchId>,
        /// The panic's message.
        message: String,
    },
    /// A child of an [`atomic`](crate::Children::atomic) batch failed.
    #[error("{}", cause(.batch))]
    Rejected {
        /// What every child had come to.
        batch: Batch,
    },
}

impl BatchError {
    /// A name for programs, such as `PARALLEL_STATE_CONFLICT`. It does not change.
    /// See [`BatchError`] for an example.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Configuration { .. } => "PARALLEL_CONFIGURATION",
            Self::UnknownStep { .. } => "STEP_UNKNOWN",
            Self::DuplicateKey { .. } => "PARALLEL_DUPLICATE_KEY",
            Self::Params { .. } => "PARALLEL_PARAMS",
            Self::Limit { .. } => "PARALLEL_LIMIT",
            Self::Mutation { .. } => "PARALLEL_MUTATION",
            Self::Conflict { .. } => "PARALLEL_STATE_CONFLICT",
            Self::Contribution { .. } => "PARALLEL_CONTRIBUTION",
            Self::State { .. } => "PARALLEL_STATE",
            Self::Reducer { .. } => "PARALLEL_REDUCER",
            Self::ReducerPanicked { .. } => "PARALLEL_REDUCER_PANICKED",
            Self::Rejected { .. } => "PARALLEL_REJECTED",
        }
    }
}

/// The child that failed an atomic batch: the others failed because of it.
fn cause(batch: &Batch) -> String {
    let is_cause = |error: &&ChildError| {
        !matches!(error.failure, ChildFailure::Cancelled | ChildFailure::NotStarted)
    };
    let mut rejected = batch.rejected().map(|(_, error)| error);
    let first = rejected.find(is_cause).or_else(|| batch.rejected().map(|(_, error)| error).next());
    let first = first.map_or_else(String::new, |error| format!("{error}; "));
    format!("{first}the batch is atomic, nothing of it was kept")
}

fn no_key(key: Option<&str>) -> String {
    key.map_or_else(|| "not both have a key".to_owned(), |key| format!("have the key `{key}`"))
}

fn place(step: &StepId, field: &str, key: Option<&str>) -> String {
    let key = key.map_or_else(String::new, |key| format!("key `{key}` in "));
    format!("{key}field `{field}` of step `{step}`'s state")
}
