//! How a flow lists a step.

use super::{AnyStep, LogicStep, Step, logic::Logic};
use crate::model::ModelRef;
use std::{fmt, sync::Arc};

/// A step in a flow, with the settings that are the flow's and not the step's.
///
/// ```
/// use picoflow_core::{ModelRef, StepExt, Steps, TerminateSessionStep};
///
/// let entry = TerminateSessionStep.memory("end").model(ModelRef::new("openai", "gpt-4o-mini"));
/// assert_eq!(Steps::new().add(entry).len(), 1);
/// ```
#[derive(Clone)]
pub struct StepEntry {
    pub(crate) step: Arc<dyn AnyStep>,
    pub(crate) namespace: Option<String>,
    pub(crate) model: Option<ModelRef>,
    pub(crate) is_logic: bool,
}

impl StepEntry {
    fn new(step: impl Step, is_logic: bool) -> Self {
        Self { step: Arc::new(step), namespace: None, model: None, is_logic }
    }

    /// Keeps the step's history in this namespace instead of one of its own. Steps that share a namespace see
    /// each other's messages.
    /// See [`StepEntry`] for an example.
    #[must_use]
    pub fn memory(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Uses this model instead of the flow's. The flow's parameters are inherited only when provider and name
    /// are the same.
    /// See [`StepEntry`] for an example.
    #[must_use]
    pub fn model(mut self, model: ModelRef) -> Self {
        self.model = Some(model);
        self
    }
}

impl fmt::Debug for StepEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepEntry")
            .field("step", &self.step)
            .field("namespace", &self.namespace)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Settings on a step as it is listed: `NameStep.memory("default")`.
///
/// See [`StepEntry`] for an example.
pub trait StepExt<Kind>: IntoStepEntry<Kind> + Sized {
    /// See [`StepEntry::memory`].
    /// [`StepEntry`] has an example.
    #[must_use]
    fn memory(self, namespace: impl Into<String>) -> StepEntry {
        self.into_step_entry().memory(namespace)
    }

    /// See [`StepEntry::model`].
    /// [`StepEntry`] has an example.
    #[must_use]
    fn model(self, model: ModelRef) -> StepEntry {
        self.into_step_entry().model(model)
    }
}

impl<Kind, S: IntoStepEntry<Kind>> StepExt<Kind> for S {}

/// What [`Steps::add`](crate::Steps::add) takes: a [`Step`], a [`LogicStep`] or a [`StepEntry`].
///
/// `Kind` tells the three apart and is inferred.
///
/// ```
/// use picoflow_core::{IntoStepEntry, Steps, TerminateSessionStep};
///
/// let entry = TerminateSessionStep.into_step_entry();
/// assert_eq!(Steps::new().add(entry).len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step",
    label = "not a step",
    note = "write `#[tools] impl Step for {Self} {{ .. }}` or `impl LogicStep for {Self} {{ .. }}`"
)]
pub trait IntoStepEntry<Kind> {
    /// The entry.
    fn into_step_entry(self) -> StepEntry;
}

/// Marks the three ways into [`StepEntry`].
#[derive(Debug)]
pub enum ChatKind {}

/// Marks the three ways into [`StepEntry`].
#[derive(Debug)]
pub enum LogicKind {}

/// Marks the three ways into [`StepEntry`].
#[derive(Debug)]
pub enum EntryKind {}

impl<S: Step> IntoStepEntry<ChatKind> for S {
    fn into_step_entry(self) -> StepEntry {
        StepEntry::new(self, false)
    }
}

impl<L: LogicStep> IntoStepEntry<LogicKind> for L {
    fn into_step_entry(self) -> StepEntry {
        StepEntry::new(Logic(self), true)
    }
}

impl IntoStepEntry<EntryKind> for StepEntry {
    fn into_step_entry(self) -> Self {
        self
    }
}
