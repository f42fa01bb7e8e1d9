//! What the build of a flow found.

use crate::{FlowId, StepId};
use std::fmt;

/// All that a build found in one flow.
///
/// See [`Engine::flow`](crate::Engine::flow) for an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildReport {
    /// What makes the build fail.
    pub faults: Vec<BuildFault>,
    /// What is likely a mistake. `EngineBuilder::strict` turns these into failures.
    pub warnings: Vec<BuildWarning>,
    /// For reading only.
    pub notes: Vec<BuildNote>,
}

/// The build of an engine failed: every fault of every flow.
///
/// ```
/// use picoflow_core::{BuildError, Engine};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let error = Engine::builder().build().await.unwrap_err();
/// assert!(matches!(error, BuildError::NoModel));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Faults in flows.
    #[error("{}", Lines(.faults, .warnings))]
    Flows {
        /// The faults, in the order of flows and steps.
        faults: Vec<BuildFault>,
        /// The warnings of a strict build; empty otherwise.
        warnings: Vec<BuildWarning>,
    },
    /// The builder was given no model.
    #[error("the engine has no model: add one with `Engine::builder().model(..)`")]
    NoModel,
    /// The builder was given no flow.
    #[error("the engine has no flow: add one with `Engine::builder().flow(..)`")]
    NoFlow,
    /// The store cannot be used.
    #[error("the session store is not ready: {0}")]
    Store(#[source] crate::session::StoreError),
}

struct Lines<'a>(&'a [BuildFault], &'a [BuildWarning]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len() + self.1.len();
        write!(f, "the flow cannot be built, {count} found:")?;
        self.0.iter().try_for_each(|fault| write!(f, "\n- {fault}"))?;
        self.1.iter().try_for_each(|warning| write!(f, "\n- (strict) {warning}"))
    }
}

/// A fault that makes the build fail.
///
/// ```
/// use picoflow_core::flow::BuildFault;
///
/// let fault = BuildFault::NoSteps { flow: "DeskFlow".into() };
/// assert_eq!(fault.to_string(), "flow `DeskFlow` has no step: list them in `Flow::steps`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildFault {
    /// Two flows with one name.
    #[error("Flow '{flow}' is already registered.")]
    DuplicateFlow {
        /// The name.
        flow: FlowId,
    },
    /// A flow without steps.
    #[error("flow `{flow}` has no step: list them in `Flow::steps`")]
    NoSteps {
        /// The flow.
        flow: FlowId,
    },
    /// A step or a flow without a name.
    #[error("{what} has a blank name: `const ID` is what sessions and transitions know it by")]
    BlankName {
        /// Which: a type's path.
        what: String,
    },
    /// Two steps with one name.
    #[error("step `{step}` is listed twice in flow `{flow}`")]
    DuplicateStep {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
    },
    /// One name for two tools: two definitions, or two handlers.
    #[error(
        "Duplicate tool '{tool}' registered in flow '{flow}'. It is defined by {first} and by {second}. Give one of them another name, or the tools of a server a prefix; the method of a step redefines what a base defines with `#[tool(define, overrides)]`."
    )]
    DuplicateTool {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
        /// Who defines it first.
        first: String,
        /// Who defines it again.
        second: String,
    },
    /// A step exposes what nobody defines.
    #[error("Tool '{tool}' is not defined in flow '{flow}'. Step `{step}` exposes it.{}", hint(.nearest.as_deref()))]
    UndefinedTool {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
        /// The defined name that is most like it.
        nearest: Option<String>,
    },
    /// A step exposes what others define for themselves alone.
    #[error(
        "Tool '{tool}' is not defined in flow '{flow}' for step `{step}`, which exposes it: {} alone defines it, with `overrides`. Define it in their base too, or in `Flow::define_tools`.", .definers.join(" or ")
    )]
    OnlyRedefined {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
        /// Who defines it.
        definers: Vec<String>,
    },
    /// A method with the name of a base's handler that cannot take its place.
    #[error(
        "step `{step}`: method `{method}` has the name of a handler of {base}, and cannot override it, since {reason}. Give it the shape of a handler (`&self`, the context, the call, and parameters that are read from its arguments; a `ToolResponse`, `Json<T>` or a `Result` of those), or another name"
    )]
    CannotOverride {
        /// The step that the method belongs to.
        step: StepId,
        /// The method.
        method: String,
        /// Whose handler it is: a step's or the flow's.
        base: String,
        /// What keeps the method from being a handler.
        reason: &'static str,
    },
    /// A name that providers refuse.
    #[error(
        "tool name `{tool}` in flow `{flow}` is refused by providers: use 1 to 64 of `A-Z`, `a-z`, `0-9`, `_`, `-`"
    )]
    ToolName {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
    },
    /// A schema that providers refuse, or that is no schema.
    #[error("the schema of tool `{tool}` in flow `{flow}` {reason}")]
    ToolSchema {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
        /// What is wrong.
        reason: String,
    },
    /// A name of an argument that providers refuse.
    #[error(
        "the schema of tool `{tool}` in flow `{flow}` names a property that providers refuse, at `{place}`: use 1 to 64 of `A-Z`, `a-z`, `0-9`, `_`, `.`, `-`, for example by `#[serde(rename = \"…\")]` on the field or the variant"
    )]
    PropertyName {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
        /// The property, as a JSON pointer into the schema.
        place: String,
    },
    /// A definition that tells the model nothing.
    #[error("tool `{tool}` in flow `{flow}` has no description: the model has nothing to go by")]
    NoDescription {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
    },
    /// `#[tool(overrides)]` without anything to override.
    #[error("step `{step}`: `{tool}` is marked `overrides`, but no base of the step handles it")]
    NothingToOverride {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
    },
    /// A row leads to a method that takes something else: one call where a group is due, or the reverse.
    #[error("step `{step}`: method `{method}` handles {what}, but takes {takes}")]
    HandlerKind {
        /// The step.
        step: StepId,
        /// The method.
        method: &'static str,
        /// What it is to handle.
        what: String,
        /// What it takes.
        takes: &'static str,
    },
    /// A chain of bases that does not end.
    #[error("step `{step}` has more than {limit} bases, or bases in a circle")]
    BaseChain {
        /// The step.
        step: StepId,
        /// The longest chain there may be.
        limit: usize,
    },
    /// A memory namespace with a name that cannot be stored.
    #[error(
        "step `{step}`: memory namespace `{namespace}` must begin with a letter and hold up to 128 letters, digits, `_` and `-`"
    )]
    Namespace {
        /// The step.
        step: StepId,
        /// The namespace.
        namespace: String,
    },
    /// A field that cannot have the state channel that it is given.
    #[error("step `{step}`: `state_channels` gives a channel to field `{field}`, {reason}")]
    Channel {
        /// The step.
        step: StepId,
        /// The field.
        field: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A former name that cannot tell the step.
    #[error(
        "step `{step}` of flow `{flow}`: the alias `{alias}` {}",
        .other.as_ref().map_or_else(
            || "is blank".to_owned(),
            |other| format!("is a name of step `{other}`: an alias is a name that no step has any more")
        )
    )]
    Alias {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
        /// The alias.
        alias: StepId,
        /// Whose name it is too; `None` if it is blank.
        other: Option<StepId>,
    },
    /// Steps of one namespace that do not ask for the same.
    #[error(
        "steps `{first}` and `{second}` share the memory namespace `{namespace}`, and not their compaction: give both the same, or namespaces of their own"
    )]
    Compactions {
        /// The namespace.
        namespace: String,
        /// The first step of the namespace.
        first: StepId,
        /// A step that asks for something else, or for nothing, or alone.
        second: StepId,
    },
    /// Settings that cannot be used.
    #[error("step `{step}`: its compaction {reason}")]
    Compaction {
        /// The step.
        step: StepId,
        /// What is wrong.
        reason: &'static str,
    },
    /// A summary that nobody can write.
    #[error(
        "step `{step}` sums up its history on entry, and has no model for it: add `.compaction(Compaction::new())`"
    )]
    NoCompaction {
        /// The step.
        step: StepId,
    },
    /// A model that cannot be used.
    #[error("the model of {owner} {reason}")]
    Model {
        /// Whose: a flow's or a step's.
        owner: String,
        /// What is wrong.
        reason: String,
    },
}

/// Something that is likely a mistake.
///
/// ```
/// use picoflow_core::flow::BuildWarning;
///
/// let warning = BuildWarning::NeverReached { flow: "DeskFlow".into(), step: "Lost".into() };
/// assert_eq!(warning.to_string(), "nothing in flow `DeskFlow` routes to step `Lost`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildWarning {
    /// A tool that is offered and does nothing.
    #[error(
        "step `{step}` exposes tool `{tool}` and has no handler for it: a call would do nothing"
    )]
    NoHandler {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
    },
    /// A tool that is offered and does nothing, though a method has its name.
    #[error(
        "step `{step}` exposes tool `{tool}` and has no handler for it: its method `{tool}` is not reached, since {reason}"
    )]
    UnfitHandler {
        /// The step.
        step: StepId,
        /// The tool, and the method.
        tool: String,
        /// What keeps the method from handling the tool.
        reason: String,
    },
    /// A tool that another method handles than the one of its name.
    #[error(
        "step `{step}`: tool `{tool}` is handled by `{handler}`, and the method `{tool}` is not reached: write `#[tool]` on it, or give it another name"
    )]
    ShadowedHandler {
        /// The step.
        step: StepId,
        /// The tool, and the method that is not reached.
        tool: String,
        /// The method that handles the tool.
        handler: &'static str,
    },
    /// A method that was probably meant as a tool.
    #[error(
        "method `{method}` of {owner} has the shape of a handler, and nothing exposes its name: write `#[tool(define)]`, or name it in `use_tools`. A helper has `//` in place of its doc comment, or stands in an impl block of its own"
    )]
    ForgottenAttribute {
        /// Whose method it is: a step's or the flow's.
        owner: String,
        /// The method.
        method: &'static str,
    },
    /// A set that no reply can have.
    #[error(
        "step `{step}`: the set handled by `{method}` is never reached, since the step does not expose `{tool}`"
    )]
    UnreachableGroup {
        /// The step.
        step: StepId,
        /// The group's method.
        method: &'static str,
        /// The name that is not exposed.
        tool: String,
    },
    /// A name that `hide_tools` says by a literal, and that hides nothing.
    #[error("step `{step}`: `hide_tools` names `{tool}`, which the step does not expose.{}", hint(.nearest.as_deref()))]
    HiddenTool {
        /// The step whose hook it is.
        step: StepId,
        /// The name.
        tool: String,
        /// The exposed name that is most like it.
        nearest: Option<String>,
    },
    /// A tool that nobody is offered.
    #[error("tool `{tool}` of flow `{flow}` is defined and exposed by no step")]
    NeverExposed {
        /// The flow.
        flow: FlowId,
        /// The tool.
        tool: String,
    },
    /// A handler that reads other arguments than the model is told of.
    #[error("step `{step}`: `{method}` handles tool `{tool}`, but {reason}")]
    SchemaMismatch {
        /// The step.
        step: StepId,
        /// The method.
        method: &'static str,
        /// The tool.
        tool: String,
        /// How they differ.
        reason: String,
    },
    /// A tool that is marked `strict` and cannot be told strictly.
    #[error(
        "tool `{tool}`, which step `{step}` exposes, is marked `strict` and has no strict form: {reason}. The model is told its schema as it is"
    )]
    NoStrictForm {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
        /// What stands in the way, and where.
        reason: String,
    },
    /// A step that cannot be reached.
    #[error("nothing in flow `{flow}` routes to step `{step}`")]
    NeverReached {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
    },
    /// A body that names a step that is not there.
    #[error("step `{step}`: `{method}` goes to `{target}`, which is no step of flow `{flow}`")]
    UnknownTarget {
        /// The flow.
        flow: FlowId,
        /// The step.
        step: StepId,
        /// The method.
        method: &'static str,
        /// What the body names.
        target: String,
    },
}

/// Something worth knowing.
///
/// ```
/// use picoflow_core::flow::BuildNote;
///
/// let note = BuildNote::GroupShadowsSingle {
///     step: "Weather".into(),
///     tool: "temperature".to_owned(),
///     group: "all",
///     single: "one",
/// };
/// assert!(note.to_string().contains("are handled by `all`, never by `one`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildNote {
    /// The usual way to expose a tool whose calls are handled as a group.
    #[error(
        "step `{step}`: replies that call `{tool}` alone are handled by `{group}`, never by `{single}`"
    )]
    GroupShadowsSingle {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
        /// The group's method.
        group: &'static str,
        /// The method of the tool itself.
        single: &'static str,
    },
    /// A tool of a model with [`ModelRef::strict_tools`](crate::ModelRef::strict_tools) that cannot be told strictly.
    #[error(
        "tool `{tool}`, which step `{step}` exposes, has no strict form: {reason}. The model is told its schema as it is"
    )]
    NoStrictForm {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
        /// What stands in the way, and where.
        reason: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" Did you mean `{name}`?"))
}
