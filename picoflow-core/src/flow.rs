//! Flows: which steps there are, and what they share.

mod any;
pub(crate) mod compile;
mod compiled;
mod graph;
mod report;

pub(crate) use any::AnyFlow;
pub(crate) use compiled::{
    CompiledCompaction, CompiledTool, Receiver, Route, ToolHandler, ToolMap,
};
pub use compiled::{CompiledFlow, CompiledStep};
pub use graph::{EdgeKind, FlowGraph, GraphEdge, GraphNode};
pub use report::{BuildError, BuildFault, BuildNote, BuildReport, BuildWarning};

use crate::{
    BoxError, Cx, FlowId, HookResult, Limits, StepEntry, StepId, StepResponse, ToolDefinition,
    model::{Block, ModelError, ModelFailure, ModelRef, Recovery},
    native::NativeTool,
    step::IntoStepEntry,
    tool::{
        check::Shared,
        table::{Method, ToolTable},
    },
};
use serde_json::Value;
use std::future::Future;

/// A conversation: its steps, its model, and what all steps share.
///
/// Built once and shared by all sessions.
///
/// With `#[tools]` on the `impl` block a flow has tools of its own: each is offered in every step behind the step's
/// own, and handled here unless the step or a base of it handles it. The macro also fills in [`ID`](Flow::ID) and lets
/// the build report see which steps the flow names.
///
/// ```
/// use picoflow_core::{Cx, Flow, FlowId, ModelRef, Prompt, Step, StepId, Steps, TerminateSessionStep};
///
/// # struct AskColor;
/// # impl Step for AskColor {
/// #     const ID: StepId = StepId::new("AskColor");
/// # }
/// struct ColorFlow;
///
/// impl Flow for ColorFlow {
///     const ID: FlowId = FlowId::new("ColorFlow");
///
///     fn model(&self) -> ModelRef {
///         ModelRef::new("openai", "gpt-4o-mini")
///     }
///
///     fn steps(&self) -> Steps {
///         Steps::new().add(AskColor).add(TerminateSessionStep)
///     }
/// }
///
/// assert_eq!(ColorFlow.steps().len(), 2);
/// ```
pub trait Flow: Send + Sync + Sized + 'static {
    /// The flow's name in its engine and in stored sessions.
    const ID: FlowId;

    /// The model of every step that names no other.
    fn model(&self) -> ModelRef;

    /// The steps. The first one is the initial step, unless [`initial_step`](Flow::initial_step) says otherwise.
    fn steps(&self) -> Steps;

    /// The tools of the annotated block. Written by `#[tools]`.
    #[doc(hidden)]
    const TABLE: ToolTable = ToolTable::EMPTY;

    /// The methods of a block of the table, for the handlers of all of them ask that the type can be shared. Written
    /// by `#[tools]`.
    #[doc(hidden)]
    fn __methods(_block: usize) -> &'static [Method<Self>]
    where
        Self: Shared,
    {
        &[]
    }

    /// Where a new session begins; `None` for the first step. `context` holds what the turn brings:
    /// `context["config"]`.
    ///
    #[doc = include_str!("docs/flow.md")]
    fn initial_step(&self, _context: &Value) -> Option<StepId> {
        None
    }

    /// Tools that several steps share.
    /// Read once, when the engine is built. [`Step::define_tools`](crate::Step::define_tools) has an example.
    fn define_tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    /// Tools with handlers of their own, offered in every step behind all others. A step that handles a tool of the
    /// same name comes first. Read once, when the engine is built.
    /// See [`initial_step`](Flow::initial_step) for an example.
    fn native_tools(&self) -> Vec<NativeTool> {
        Vec::new()
    }

    /// Whether to ask a model again after an error, where the step leaves it open. Default: the kind of the error.
    /// See [`Step::should_retry`](crate::Step::should_retry) for what it decides, and for an example.
    fn should_retry(&self, _cx: &Cx<'_>, _error: &ModelError) -> Option<bool> {
        None
    }

    /// The model of a step gave no reply, and the step has nothing in its place. Default: nothing either.
    /// See [`Step::on_model_error`](crate::Step::on_model_error).
    fn on_model_error(
        &self,
        _cx: &mut Cx<'_>,
        _failure: &ModelFailure,
    ) -> impl Future<Output = HookResult<Recovery>> + Send {
        async { Ok(Recovery::Pass) }
    }

    /// The provider refused to answer a step, and the step has nothing in its place. Default: nothing either.
    /// See [`Step::on_model_blocked`](crate::Step::on_model_blocked).
    fn on_model_blocked(
        &self,
        _cx: &mut Cx<'_>,
        _block: &Block,
    ) -> impl Future<Output = HookResult<Option<StepResponse>>> + Send {
        async { Ok(None) }
    }

    /// The version of what the flow stores: of its steps' names and states. A session of an older version goes through
    /// [`migrate`](Flow::migrate) before its next turn; one of a newer version is refused.
    /// See [`migrate`](Flow::migrate) for an example.
    fn version(&self) -> u32 {
        0
    }

    /// Brings a session of the older version `from` to [`version`](Flow::version). `document` is the whole document, as
    /// a store keeps it; its id, its revision, its format and its flow are not to be changed.
    ///
    /// It runs before a turn, and the result is written with the turn. If the turn fails nothing is written, and the next
    /// one brings the same document again: so it must do nothing else, and must come to the same each time. It need not
    /// set the version. A step that was renamed needs no more than [`StepExt::alias`](crate::StepExt::alias).
    ///
    /// # Errors
    /// When the document cannot be brought to the present version: the turn fails with
    /// [`TurnError::Migration`](crate::TurnError::Migration), and the stored session stays as it is. So it does if this
    /// panics, or if what it returns is no session of the flow. Default: an error.
    ///
    #[doc = include_str!("docs/flow_migrate.md")]
    fn migrate(&self, _document: Value, _from: u32) -> Result<Value, BoxError> {
        Err("the flow has a new `version` and no `Flow::migrate`".into())
    }

    /// Bounds of a turn.
    /// See [`initial_step`](Flow::initial_step) for an example.
    fn limits(&self) -> Limits {
        Limits::default()
    }
}

/// The steps of a flow, in order.
///
/// ```
/// use picoflow_core::{StepExt, Steps, TerminateSessionStep};
///
/// let steps = Steps::new().add(TerminateSessionStep.memory("end"));
/// assert_eq!(steps.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Steps(pub(crate) Vec<StepEntry>);

impl Steps {
    /// No step yet. A flow needs one at least.
    ///
    /// ```
    /// assert!(picoflow_core::Steps::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a step.
    ///
    /// ```
    /// use picoflow_core::{ModelRef, StepExt, Steps, TerminateSessionStep};
    ///
    /// let steps = Steps::new().add(TerminateSessionStep.model(ModelRef::new("openai", "gpt-4o-mini")));
    /// assert_eq!(steps.len(), 1);
    /// ```
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "this builds a list, it sums nothing up")]
    pub fn add<Kind>(mut self, step: impl IntoStepEntry<Kind>) -> Self {
        self.0.push(step.into_step_entry());
        self
    }

    /// How many steps there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
