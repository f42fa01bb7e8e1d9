//! Faults, warnings and notes of an engine's build.

use crate::support::{Broken, TestFlow};
use picoflow::{
    BuildError, StepEntry, flow::BuildFault, prelude::*, session::MemoryStore,
    testing::ScriptedModel,
};
use std::{borrow::Cow, sync::Arc};

const FLOW: FlowId = TestFlow::ID;

async fn build(flow: impl Flow) -> Result<Engine, BuildError> {
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new());
    engine.build().await
}

pub(crate) async fn faults(flow: impl Flow) -> Vec<BuildFault> {
    match build(flow).await.unwrap_err() {
        BuildError::Flows { faults, warnings } => {
            assert_eq!(warnings, []);
            faults
        }
        other => panic!("{other}"),
    }
}

/// A step that exposes the names it is given and handles none.
pub(crate) struct Bare(pub(crate) &'static [&'static str]);

impl Step for Bare {
    const ID: StepId = StepId::new("Bare");

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        self.0.iter().map(|&name| name.into()).collect()
    }
}

fn bare() -> Steps {
    Steps::new().add(Bare(&[]))
}

struct First;

#[tools]
impl Step for First {
    /// Defined here
    #[tool(define)]
    fn duplicate_tool(&self) -> ToolResponse {
        stay()
    }
}

struct Second;

#[tools]
impl Step for Second {
    /// And here
    #[tool(define)]
    fn duplicate_tool(&self) -> ToolResponse {
        stay()
    }
}

struct DuplicateToolFlow;

impl Flow for DuplicateToolFlow {
    const ID: FlowId = FlowId::new("DuplicateToolFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(First).add(Second)
    }
}

#[tokio::test]
async fn an_engine_needs_a_model_and_a_flow() {
    let no_model = Engine::builder().flow(TestFlow::new(bare())).build().await;
    assert!(matches!(no_model, Err(BuildError::NoModel)));
    let no_flow = Engine::builder().model(ScriptedModel::new()).build().await;
    assert!(matches!(no_flow, Err(BuildError::NoFlow)));
}

#[tokio::test]
async fn a_store_that_is_not_ready_fails_the_build() {
    let store = Broken::new(Arc::new(MemoryStore::new()));
    store.fail(Some("prepare"));
    let engine = Engine::builder().flow(TestFlow::new(bare()));
    let error = engine.model(ScriptedModel::new()).store(store).build();
    let error = error.await.unwrap_err();
    assert!(matches!(error, BuildError::Store(_)));
    assert!(error.to_string().contains("no prepare today"), "{error}");
}

#[tokio::test]
async fn a_tool_that_two_steps_define_is_a_duplicate_that_names_both() {
    let text = build(DuplicateToolFlow).await.unwrap_err().to_string();
    assert!(
        text.contains("Duplicate tool 'duplicate_tool' registered in flow 'DuplicateToolFlow'."),
        "{text}"
    );
    assert!(text.contains("step `First`") && text.contains("step `Second`"), "{text}");
}

#[tokio::test]
async fn a_tool_that_a_step_and_the_flow_define_is_a_duplicate() {
    let flow = TestFlow::new(Steps::new().add(First)).define(["duplicate_tool"]);
    assert_eq!(
        faults(flow).await,
        [BuildFault::DuplicateTool {
            flow: FLOW,
            tool: "duplicate_tool".to_owned(),
            first: "step `First`".to_owned(),
            second: "the flow".to_owned(),
        }]
    );
}

#[tokio::test]
async fn a_tool_that_nobody_defines_is_named_with_the_nearest_one() {
    let flow = TestFlow::new(Steps::new().add(Bare(&["user_nam"]))).define(["user_name"]);
    let faults = faults(flow).await;
    assert_eq!(
        faults,
        [BuildFault::UndefinedTool {
            flow: FLOW,
            step: Bare::ID,
            tool: "user_nam".to_owned(),
            nearest: Some("user_name".to_owned()),
        }]
    );
    let text = faults[0].to_string();
    assert!(text.contains("Tool 'user_nam' is not defined in flow 'TestFlow'."), "{text}");
    assert!(text.contains("Did you mean `user_name`?"), "{text}");
}

#[tokio::test]
async fn two_flows_of_one_name_are_a_fault() {
    let engine = Engine::builder().flow(TestFlow::new(bare())).flow(TestFlow::new(bare()));
    let error = engine.model(ScriptedModel::new()).build().await;
    let text = error.unwrap_err().to_string();
    assert!(text.contains("Flow 'TestFlow' is already registered."), "{text}");
}

#[tokio::test]
async fn a_flow_without_steps_is_a_fault() {
    let flow = TestFlow::new(Steps::new());
    assert_eq!(faults(flow).await, [BuildFault::NoSteps { flow: FLOW }]);
}

#[tokio::test]
async fn a_step_listed_twice_is_a_fault() {
    let flow = TestFlow::new(bare().add(Bare(&[])));
    assert_eq!(faults(flow).await, [BuildFault::DuplicateStep { flow: FLOW, step: Bare::ID }]);
}

#[tokio::test]
async fn a_tool_name_that_providers_refuse_is_a_fault() {
    let long = "a".repeat(65);
    for name in ["", "a.b", "get weather", "grüßen", &long] {
        let faults = faults(TestFlow::new(bare()).define([name])).await;
        let refused = BuildFault::ToolName { flow: FLOW, tool: name.to_owned() };
        assert!(faults.contains(&refused), "{name}: {faults:?}");
    }
    let longest = "a".repeat(64);
    assert!(build(TestFlow::new(bare()).define([&longest, "A-z_9"])).await.is_ok());
}

/// Defines one tool with the schema it is given.
struct Defines(Value, &'static str);

impl Step for Defines {
    const ID: StepId = StepId::new("Defines");

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition::new("tool", self.1, self.0.clone())]
    }
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn a_schema_that_is_no_object_schema_is_a_fault() {
    for schema in [
        json!({ "type": "string" }),
        json!({}),
        json!(true),
        json!({ "type": "object", "properties": { "a": { "type": "nonsense" } } }),
    ] {
        let flow = TestFlow::new(Steps::new().add(Defines(schema.clone(), "described")));
        let faults = faults(flow).await;
        assert!(
            matches!(&*faults, [BuildFault::ToolSchema { tool, .. }] if tool == "tool"),
            "{schema}: {faults:?}"
        );
    }
}

#[tokio::test]
async fn a_definition_without_a_description_is_a_fault() {
    let step = Defines(picoflow::no_arguments(), " \n");
    let flow = TestFlow::new(Steps::new().add(step));
    assert_eq!(
        faults(flow).await,
        [BuildFault::NoDescription { flow: FLOW, tool: "tool".to_owned() }]
    );
}

struct OverridesNothing;

#[tools]
impl Step for OverridesNothing {
    /// Overrides nothing
    #[tool(define, overrides)]
    fn lonely(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn overrides_without_a_base_handler_is_a_fault() {
    let flow = TestFlow::new(Steps::new().add(OverridesNothing));
    assert_eq!(
        faults(flow).await,
        [BuildFault::NothingToOverride { step: OverridesNothing::ID, tool: "lonely".to_owned() }]
    );
}

pub(crate) struct GroupBase;

#[tools]
impl Step for GroupBase {
    #[tools(["a"])]
    fn handle(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

/// Redeclares the base's group method as one that takes a single call.
struct SingleInstead(GroupBase);

#[tools]
impl Step for SingleInstead {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tool("a")]
    fn handle(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn a_group_method_redeclared_for_single_calls_is_a_fault() {
    let flow = TestFlow::new(Steps::new().add(SingleInstead(GroupBase))).define(["a"]);
    assert_eq!(
        faults(flow).await,
        [BuildFault::HandlerKind {
            step: SingleInstead::ID,
            method: "handle",
            what: "the set [a]".to_owned(),
            takes: "one call at a time",
        }]
    );
}

/// A chain of bases.
struct Link(Option<Box<Self>>);

impl Step for Link {
    const ID: StepId = StepId::new("Link");

    fn base(&self) -> Option<&dyn AnyStep> {
        self.0.as_deref().map(|base| base as &dyn AnyStep)
    }
}

fn chain(bases: usize) -> Link {
    (0..bases).fold(Link(None), |base, _| Link(Some(Box::new(base))))
}

#[tokio::test]
async fn a_chain_of_more_than_32_bases_is_a_fault() {
    assert!(build(TestFlow::new(Steps::new().add(chain(32)))).await.is_ok());
    assert_eq!(
        faults(TestFlow::new(Steps::new().add(chain(33)))).await,
        [BuildFault::BaseChain { step: Link::ID, limit: 32 }]
    );
}

#[tokio::test]
async fn a_namespace_that_cannot_be_stored_is_a_fault() {
    for namespace in ["", "9a", "a b", "__proto__", "constructor"] {
        let flow = TestFlow::new(Steps::new().add(Bare(&[]).memory(namespace)));
        assert_eq!(
            faults(flow).await,
            [BuildFault::Namespace { step: Bare::ID, namespace: namespace.to_owned() }]
        );
    }
}

#[tokio::test]
async fn a_model_without_a_name_or_with_a_credential_is_a_fault() {
    for (model, reason) in [
        (ModelRef::new("openai", " "), "no model name"),
        (ModelRef::new("", "gpt"), "no provider"),
        (ModelRef::new("openai", "gpt").param("api_key", "sk-1"), "`api_key`"),
    ] {
        let entry: StepEntry = Bare(&[]).model(model);
        let faults = faults(TestFlow::new(Steps::new().add(entry))).await;
        let [BuildFault::Model { owner, reason: said }] = &*faults else {
            panic!("{faults:?}");
        };
        assert_eq!(owner, "step `Bare`");
        assert!(said.contains(reason), "{said}");
        assert!(!said.contains("sk-1"), "{said}");
    }
}

#[tokio::test]
async fn every_fault_of_a_flow_is_reported_in_one_build() {
    let steps =
        Steps::new().add(First).add(Second).add(Bare(&["nobody"]).memory("9a")).add(Bare(&[]));
    let error = build(TestFlow::new(steps).define(["a b"])).await.unwrap_err();
    let text = error.to_string();
    for part in ["5 found", "'duplicate_tool'", "'nobody'", "`9a`", "listed twice", "`a b`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A step that is its own base.
struct Circle;

impl Step for Circle {
    const ID: StepId = StepId::new("Circle");

    fn base(&self) -> Option<&dyn AnyStep> {
        Some(self)
    }
}

#[tokio::test]
async fn bases_in_a_circle_are_a_fault() {
    let faults = faults(TestFlow::new(Steps::new().add(Circle))).await;
    assert_eq!(faults, [BuildFault::BaseChain { step: Circle::ID, limit: 32 }]);
}

struct SingleBase;

#[tools]
impl Step for SingleBase {
    #[tool("a")]
    fn handle(&self) -> ToolResponse {
        stay()
    }
}

/// Redeclares the base's method as one that takes a group.
struct GroupInstead(SingleBase);

#[tools]
impl Step for GroupInstead {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tools(["a"])]
    fn handle(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn a_method_for_single_calls_redeclared_for_groups_is_a_fault() {
    let flow = TestFlow::new(Steps::new().add(GroupInstead(SingleBase))).define(["a"]);
    assert_eq!(
        faults(flow).await,
        [BuildFault::HandlerKind {
            step: GroupInstead::ID,
            method: "handle",
            what: "tool `a`".to_owned(),
            takes: "all calls of a reply at once",
        }]
    );
}

#[tokio::test]
async fn a_step_and_a_flow_without_a_name_are_faults() {
    struct Nameless;
    impl Step for Nameless {
        const ID: StepId = StepId::new(" ");
    }
    struct NamelessFlow;
    impl Flow for NamelessFlow {
        const ID: FlowId = FlowId::new("");
        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }
        fn steps(&self) -> Steps {
            Steps::new().add(Nameless.memory("own"))
        }
    }
    let faults = faults(NamelessFlow).await;
    let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("NamelessFlow` has a blank name"), "{texts:?}");
    assert!(texts[1].contains("Nameless` has a blank name"), "{texts:?}");
}
