//! How a flow lists a step.

use super::{AnyStep, LogicStep, Step, logic::Logic};
use crate::{Compaction, StepId, model::ModelRef};
use std::{fmt, sync::Arc};

/// A step in a flow, with the settings that are the flow's and not the step's.
///
/// ```
/// use picoflow_core::{Compaction, ModelRef, OnEntry, StepExt, Steps, TerminateSessionStep};
///
/// let entry = TerminateSessionStep
///     .memory("end")
///     .model(ModelRef::new("openai", "gpt-4o-mini"))
///     .compaction(Compaction::new())
///     .on_entry(OnEntry::Summarise)
///     .alias("FarewellStep");
/// assert_eq!(Steps::new().add(entry).len(), 1);
/// ```
#[derive(Clone)]
pub struct StepEntry {
    pub(crate) step: Arc<dyn AnyStep>,
    pub(crate) namespace: Option<String>,
    pub(crate) model: Option<ModelRef>,
    pub(crate) compaction: Option<Compaction>,
    pub(crate) on_entry: OnEntry,
    pub(crate) aliases: Vec<StepId>,
    pub(crate) is_logic: bool,
}

/// What happens to a step's history, and with [`Restart`](Self::Restart) to its state, when the step is entered.
///
/// A step is entered when the cursor moves to it from another step, and when it starts as a child; not when a turn finds
/// it current, nor when a transition goes to the step itself. It happens before `on_enter` runs. At the start of a
/// session there is nothing to forget.
///
/// The namespace is meant, whoever else uses it. If the step that is left shares it, the reply that led here is
/// forgotten with the rest. What the transition brings along (`with_message`, the content of `direct_to`) is added
/// afterwards, and so is the opening of `on_crossing`. A child of `run_step` that shares the namespace of its caller forgets the
/// caller's history; a child of `run_steps` works on a copy, and forgets that.
///
#[doc = include_str!("../docs/on_entry.md")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnEntry {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is forgotten, with its summary.
    Reset,
    /// It is forgotten, with its summary, and so are the step's state and transient state: the step begins as in a new
    /// session. Save what it needs by `with_state` on the transition. What is saved for the step before it is entered
    /// (`save_step_state`, `save_step_transient`, `with_state` of a transition that lost) is forgotten too, with a warning in the
    /// session where it was saved in the same turn. Children of one
    /// `run_steps` begin afresh each, and what they write is put together as otherwise.
    Restart,
    /// It is summed up: the summary stays, no message does. The entry needs a [`Compaction`], else the build fails. If
    /// there is no summary, the session gets a warning and the history stays as it is.
    Summarise,
}

impl StepEntry {
    fn new(step: impl Step, is_logic: bool) -> Self {
        Self {
            step: Arc::new(step),
            namespace: None,
            model: None,
            compaction: None,
            on_entry: OnEntry::Keep,
            aliases: Vec::new(),
            is_logic,
        }
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
    /// are the same. [`Step::model`] goes before it, where it names one.
    /// See [`StepEntry`] for an example.
    #[must_use]
    pub fn model(mut self, model: ModelRef) -> Self {
        self.model = Some(model);
        self
    }

    /// Keeps the history of the step's namespace short. All steps of the namespace must ask for the same, logic steps
    /// aside.
    /// See [`Compaction`] for an example.
    #[must_use]
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = Some(compaction);
        self
    }

    /// What becomes of the step's namespace when the step is entered. Default: it stays as it is.
    /// See [`OnEntry`] for an example.
    #[must_use]
    pub const fn on_entry(mut self, policy: OnEntry) -> Self {
        self.on_entry = policy;
        self
    }

    /// A name that the step had before, so that sessions from then go on: with their cursor, the step's state and, if it
    /// has no other, its namespace. Code may name the step by it too. Several are several names. It must not be the name
    /// of another step.
    ///
    #[doc = include_str!("../docs/alias.md")]
    #[must_use]
    pub fn alias(mut self, name: impl Into<StepId>) -> Self {
        self.aliases.push(name.into());
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

/// What [`StepExt::model`] takes: a [`ModelRef`]. It is there for its message, since [`Step::model`] has the same name.
#[diagnostic::on_unimplemented(
    message = "`.model(..)` on a step takes a `ModelRef`: it lists the step with a model of its own",
    label = "not a `ModelRef`",
    note = "to ask a step's hook for its model, write `Step::model(&step, cx)`"
)]
#[expect(unnameable_types, reason = "nobody else implements it")]
pub trait EntryModel {
    #[doc(hidden)]
    fn into_model(self) -> ModelRef;
}

impl EntryModel for ModelRef {
    fn into_model(self) -> ModelRef {
        self
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
    fn model(self, model: impl EntryModel) -> StepEntry {
        self.into_step_entry().model(model.into_model())
    }

    /// See [`StepEntry::compaction`].
    /// [`Compaction`] has an example.
    #[must_use]
    fn compaction(self, compaction: Compaction) -> StepEntry {
        self.into_step_entry().compaction(compaction)
    }

    /// See [`StepEntry::on_entry`].
    /// [`OnEntry`] has an example.
    #[must_use]
    fn on_entry(self, policy: OnEntry) -> StepEntry {
        self.into_step_entry().on_entry(policy)
    }

    /// See [`StepEntry::alias`], which has an example.
    #[must_use]
    fn alias(self, name: impl Into<StepId>) -> StepEntry {
        self.into_step_entry().alias(name)
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
