//! Steps that run inside a hook or a handler of another step: what they are started with and what comes back.

use crate::{StepId, TurnError};
use serde_json::Value;
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
}

impl Child {
    /// The step to run.
    /// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
    pub fn new(step: impl Into<StepId>) -> Self {
        Self { step: step.into(), key: None, params: Value::Null, message: None }
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
    /// Fires when nobody waits for the child any more.
    pub cancellation: CancellationToken,
}

/// What came of [`Cx::run_steps`](crate::Cx::run_steps), in the order of the request.
///
/// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Batch {
    /// One for each child.
    pub branches: Vec<Branch>,
}

/// What came of one child.
///
/// See [`Cx::run_steps`](crate::Cx::run_steps) for an example.
#[derive(Clone, Debug, PartialEq)]
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

/// Why a child, or a whole [`Cx::run_steps`](crate::Cx::run_steps), failed.
///
/// A child that misuses the API (that moves the cursor, or writes another step's state) fails the whole turn, also if
/// its caller ignores this error.
/// See [`Step::limits`](crate::Step::limits) for an example, where `check_params` refuses to start a child.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("child `{step}`: {message}")]
#[non_exhaustive]
pub struct ChildError {
    /// The child's step.
    pub step: StepId,
    /// A name for programs, as in [`TurnError::code`].
    pub code: &'static str,
    /// What happened.
    pub message: String,
}

impl ChildError {
    pub(crate) fn new(step: &StepId, code: &'static str, message: impl Into<String>) -> Self {
        Self { step: step.clone(), code, message: message.into() }
    }

    pub(crate) fn of(step: &StepId, error: &TurnError) -> Self {
        Self::new(step, error.code(), error.to_string())
    }
}
