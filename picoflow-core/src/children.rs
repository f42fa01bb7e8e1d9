//! Steps that run inside a hook or a handler of another step: what they are started with and what comes back.

mod error;

pub use error::{BatchError, BranchId, ChildError, ChildFailure};

use crate::StepId;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// A child that [`Cx::run_steps`](crate::Cx::run_steps) is to start.
///
/// ```
/// use picoflow_core::Child;
/// use serde_json::json;
///
/// let child = Child::new("StockStep").key("sku-1").params(json!({ "sku": 1 })).message("Check it.");
/// assert!(format!("{child:?}").contains("sku-1"));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Child {
    pub(crate) step: StepId,
    pub(crate) key: Option<String>,
    pub(crate) params: Value,
    pub(crate) message: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

impl Child {
    /// The step to run.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn new(step: impl Into<StepId>) -> Self {
        Self { step: step.into(), key: None, params: Value::Null, message: None, timeout: None }
    }

    /// Tells children of the same step apart: needed, and unique, when a step is started more than once.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// What the child finds in [`Cx::parallel`](crate::Cx::parallel). The step's `check_params` sees it first.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn params(mut self, params: impl Into<Value>) -> Self {
        self.params = params.into();
        self
    }

    /// The user's message that the child answers.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// How long the child may take, its waiting in the queue of [`Children::concurrency`] aside. Without it, the
    /// [`Limits::child_timeout`](crate::Limits::child_timeout) of its step.
    /// See [`Children`] for an example.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }
}

/// Children for [`Cx::run_steps`](crate::Cx::run_steps) with more to say about them. Anything that yields [`Child`]ren
/// will do where there is not.
///
#[doc = include_str!("docs/children.md")]
#[derive(Clone, Debug)]
#[must_use = "children do nothing until `Cx::run_steps` takes them"]
pub struct Children {
    pub(crate) list: Vec<Child>,
    pub(crate) is_atomic: bool,
    pub(crate) concurrency: usize,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cancellation: Option<CancellationToken>,
}

impl Children {
    /// These children, all at once, and what those write that succeed is kept.
    /// See [`Children`] for an example.
    pub fn new(children: impl IntoIterator<Item = Child>) -> Self {
        Self {
            list: children.into_iter().collect(),
            is_atomic: false,
            concurrency: usize::MAX,
            timeout: None,
            cancellation: None,
        }
    }

    /// All or nothing: as soon as one child fails, the others are cancelled, nothing of any of them is kept, and
    /// `run_steps` fails with [`BatchError::Rejected`].
    ///
    /// Which child fails the batch may depend on their timing, since those that it cancels might have failed as well;
    /// what is kept does not.
    /// See [`Children`] for an example.
    pub const fn atomic(mut self) -> Self {
        self.is_atomic = true;
        self
    }

    /// How many children may run at the same time, at least 1. The others wait and start in the order of the request.
    /// Default: all of them.
    /// See [`Children`] for an example.
    pub const fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = most;
        self
    }

    /// How long the whole batch may take. Children that are not done by then are rejected. Default: no limit beside
    /// those of the children.
    /// See [`Children`] for an example.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Cancels the batch when the token fires, the turn goes on: children that wait do not start, those that run are
    /// told by [`Cx::cancellation`](crate::Cx::cancellation) and have
    /// [`Limits::child_grace`](crate::Limits::child_grace) to come to an end. One that still succeeds counts as such.
    /// See [`Children`] for an example.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }
}

impl<I: IntoIterator<Item = Child>> From<I> for Children {
    fn from(children: I) -> Self {
        Self::new(children)
    }
}

/// What a child of [`Cx::run_steps`](crate::Cx::run_steps) knows of itself.
///
/// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParallelInvocation {
    /// What [`Child::params`] gave; `null` without.
    pub params: Value,
    /// What [`Child::key`] gave.
    pub key: Option<String>,
    /// Its place in the request, from 0.
    pub index: usize,
    /// Which branch it is, also among those of other batches: as text, its path.
    pub id: Arc<BranchId>,
    /// Fires when the child is to come to an end; the same as [`Cx::cancellation`](crate::Cx::cancellation).
    pub cancellation: CancellationToken,
}

/// What came of [`Cx::run_steps`](crate::Cx::run_steps), in the order of the request.
///
/// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Batch {
    /// One for each child.
    pub branches: Vec<Branch>,
}

/// What came of one child.
///
/// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Branch {
    /// Its step.
    pub step: StepId,
    /// Its key.
    pub key: Option<String>,
    /// What it answered: the value of `direct_result`, the object of a structured reply, or the text as a string.
    pub outcome: Result<Value, ChildError>,
}

impl Batch {
    /// The outputs of the children that succeeded, in the order of the request.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn fulfilled(&self) -> impl Iterator<Item = (&Branch, &Value)> {
        let outputs = self.branches.iter();
        outputs.filter_map(|branch| Some((branch, branch.outcome.as_ref().ok()?)))
    }

    /// The errors of the children that failed, in the order of the request.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn rejected(&self) -> impl Iterator<Item = (&Branch, &ChildError)> {
        let errors = self.branches.iter();
        errors.filter_map(|branch| Some((branch, branch.outcome.as_ref().err()?)))
    }
}
