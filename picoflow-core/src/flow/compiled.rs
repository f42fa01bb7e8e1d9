//! A flow as the runtime uses it: merged, checked, flattened.

use super::{BuildReport, FlowGraph, GraphEdge};
use crate::{
    BoxFuture, Channel, Compaction, Cx, FlowId, Limits, OnEntry, StepId, ToolDefinition, TurnError,
    flow::AnyFlow,
    model::ModelRef,
    native::NativeTool,
    step::AnyStep,
    tool::{CallView, ToolCall, ToolResult, ToolValidator, raw::RowIndex},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, OnceLock},
};

/// A flow after the engine's build: registry merged, schemas compiled, one flat dispatch table per step.
///
/// See [`Engine::flow`](crate::Engine::flow) for an example.
pub struct CompiledFlow {
    pub(crate) id: FlowId,
    pub(crate) model: ModelRef,
    pub(crate) version: u32,
    pub(crate) limits: Limits,
    pub(crate) steps: Vec<CompiledStep>,
    /// By name, former names included.
    pub(crate) index: HashMap<StepId, usize>,
    /// The namespaces whose history is kept short.
    pub(crate) compactions: BTreeMap<Arc<str>, CompiledCompaction>,
    pub(crate) flow: Arc<dyn AnyFlow>,
    pub(crate) edges: Vec<GraphEdge>,
    pub(crate) entries: Vec<StepId>,
    pub(crate) report: BuildReport,
}

/// A step after the engine's build.
///
/// See [`Engine::flow`](crate::Engine::flow) for an example.
pub struct CompiledStep {
    pub(crate) id: StepId,
    pub(crate) step: Arc<dyn AnyStep>,
    pub(crate) is_logic: bool,
    /// Names that the step had before.
    pub(crate) aliases: Vec<StepId>,
    pub(crate) namespace: Arc<str>,
    pub(crate) has_own_namespace: bool,
    pub(crate) on_entry: OnEntry,
    pub(crate) model: ModelRef,
    pub(crate) limits: Limits,
    /// What the step offers when it hides nothing, in order, as `model` is told it.
    pub(crate) offered: Arc<[Arc<ToolDefinition>]>,
    /// The same for models that are told strict forms where `model` is not, or the reverse, once one is asked.
    pub(crate) told_otherwise: OnceLock<Arc<[Arc<ToolDefinition>]>>,
    /// One row for each tool that the step exposes.
    pub(crate) tools: ToolMap,
    /// Handlers of exact sets, by sorted names.
    pub(crate) groups: BTreeMap<Vec<String>, Route>,
    /// How children write the fields that several of them may write.
    pub(crate) channels: BTreeMap<String, Channel>,
}

/// What keeps one namespace short.
pub(crate) struct CompiledCompaction {
    /// The first step that asked for it: the one in whose name the model is called.
    pub(crate) at: usize,
    pub(crate) model: ModelRef,
    pub(crate) settings: Compaction,
}

/// Tools by name. The names are the program's own, so a hash that resists nobody will do.
pub(crate) type ToolMap = hashbrown::HashMap<String, CompiledTool>;

/// A tool as one step exposes it.
pub(crate) struct CompiledTool {
    /// As it was defined. What the model is told may be its strict form.
    pub(crate) definition: Arc<ToolDefinition>,
    pub(crate) validator: Arc<ToolValidator>,
    /// Whether the model is told the strict form, so that a name which no parameter has is refused.
    pub(crate) is_strict: bool,
    pub(crate) handler: Option<ToolHandler>,
}

/// What runs for a call of one tool.
pub(crate) enum ToolHandler {
    /// A method of the step, a base of it, or the flow.
    Method(Route),
    /// A tool with a handler of its own.
    Native(NativeTool),
}

/// Which method runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) receiver: Receiver,
    pub(crate) method: &'static str,
    pub(crate) at: RowIndex,
}

/// Whose method it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// The step's own (0), its base's (1), and so on.
    Step(usize),
    /// The flow's.
    Flow,
}

impl CompiledFlow {
    /// The flow's name.
    pub const fn id(&self) -> &FlowId {
        &self.id
    }

    /// The steps, in the order in which the flow lists them.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = &CompiledStep> {
        self.steps.iter()
    }

    /// The step of this name.
    /// See [`Engine::flow`](crate::Engine::flow) for an example.
    pub fn step(&self, id: impl AsRef<str>) -> Option<&CompiledStep> {
        let place = self.index.get(id.as_ref())?;
        self.steps.get(*place)
    }

    /// The flow as a picture.
    ///
    #[doc = include_str!("../docs/engine_graph.md")]
    pub fn graph(&self) -> FlowGraph {
        FlowGraph::of(self)
    }

    /// The place of a step that code of the flow names.
    pub(crate) fn place(&self, step: &StepId) -> Result<usize, TurnError> {
        let place = self.index.get(step).copied();
        place.ok_or_else(|| TurnError::UnknownStep { target: step.clone(), flow: self.id.clone() })
    }

    /// The name of the step at this place, for errors.
    pub(crate) fn name(&self, at: usize) -> StepId {
        self.steps.get(at).map_or_else(|| StepId::new(""), |step| step.id.clone())
    }

    /// What the build found.
    pub const fn report(&self) -> &BuildReport {
        &self.report
    }
}

impl CompiledStep {
    /// The step's name.
    pub const fn id(&self) -> &StepId {
        &self.id
    }

    /// What the step exposes, in the order in which a model sees it.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.offered.iter().map(|tool| &**tool)
    }

    /// The same as a model is told that is told strict forms or not.
    pub(crate) fn told(&self, is_strict: bool) -> &Arc<[Arc<ToolDefinition>]> {
        if is_strict == self.model.is_strict() {
            return &self.offered;
        }
        self.told_otherwise.get_or_init(|| {
            let defined = self.tools().filter_map(|tool| self.tools.get(tool.name()));
            defined.map(|tool| tool.definition.told(is_strict)).collect()
        })
    }

    /// Whether a call of `tool`, or a reply that calls exactly these tools, has a handler.
    /// See [`Engine::flow`](crate::Engine::flow) for an example.
    pub fn has_handler(&self, tools: &[&str]) -> bool {
        let mut names: Vec<String> = tools.iter().map(|&name| name.to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        if self.groups.contains_key(&names) {
            return true;
        }
        match &*names {
            [name] => self.tools.get(name).is_some_and(|tool| tool.handler.is_some()),
            _ => false,
        }
    }

    /// The memory namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The step itself, or the base that many away.
    #[inline]
    pub(crate) fn member(&self, depth: usize) -> Option<&dyn AnyStep> {
        let mut step = &*self.step;
        for _ in 0..depth {
            step = step.dyn_base()?;
        }
        Some(step)
    }
}

impl CompiledFlow {
    /// Starts the method at `route`. `None` only if a step answers `base` differently from one call to the next.
    #[inline]
    pub(crate) fn call<'a>(
        &'a self,
        step: &'a CompiledStep,
        route: Route,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        match route.receiver {
            Receiver::Step(depth) => step.member(depth)?.dyn_call(route.at, cx, call),
            Receiver::Flow => self.flow.call(route.at, cx, call),
        }
    }

    /// The same for a group.
    pub(crate) fn call_group<'a>(
        &'a self,
        step: &'a CompiledStep,
        route: Route,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>> {
        match route.receiver {
            Receiver::Step(depth) => step.member(depth)?.dyn_call_group(route.at, cx, calls),
            Receiver::Flow => self.flow.call_group(route.at, cx, calls),
        }
    }
}

impl fmt::Debug for CompiledFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledFlow")
            .field("id", &self.id)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CompiledStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools().map(ToolDefinition::name).collect();
        f.debug_struct("CompiledStep")
            .field("id", &self.id)
            .field("namespace", &self.namespace)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}
