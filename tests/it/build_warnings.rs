//! Warnings and notes of an engine's build.

use crate::{
    build_report::{Bare, GroupBase},
    support::{TestFlow, definition, exposed},
};
use picoflow::{
    BuildError,
    flow::{BuildNote, BuildWarning},
    prelude::*,
    testing::ScriptedModel,
};
use std::borrow::Cow;

const FLOW: FlowId = TestFlow::ID;

pub(crate) async fn warnings(flow: impl Flow) -> Vec<BuildWarning> {
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new());
    let engine = engine.build().await.unwrap();
    let flow = engine.flows().next().unwrap();
    flow.report().warnings.clone()
}

struct Handles;

#[tools]
impl Step for Handles {
    #[tool]
    fn dob(&self, _year: u16, _note: Option<String>) -> ToolResponse {
        stay()
    }
}

fn dob(properties: &Value) -> TestFlow {
    let schema = json!({ "type": "object", "properties": properties });
    let steps = Steps::new().add(Handles).add(DefinesDob(schema));
    TestFlow::new(steps)
}

struct DefinesDob(Value);

impl Step for DefinesDob {
    const ID: StepId = StepId::new("DefinesDob");

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition::new("dob", "Date of birth", self.0.clone())]
    }
}

#[tokio::test]
async fn a_handler_that_reads_other_arguments_than_the_model_is_told_of_is_a_warning() {
    for (properties, part) in [
        (json!({}), "requires the field `_year`"),
        (json!({ "_year": { "type": "string" } }), "reads `_year`"),
        (
            json!({ "_year": { "type": "integer" }, "_note": { "type": "boolean" } }),
            "reads `_note`",
        ),
    ] {
        let warnings = warnings(dob(&properties)).await;
        let [BuildWarning::SchemaMismatch { step, method, tool, reason }] = &*warnings else {
            panic!("{warnings:?}");
        };
        assert_eq!((step, *method, &**tool), (&Handles::ID, "dob", "dob"));
        assert!(reason.contains(part), "{reason}");
    }
    let told = json!({ "_year": { "type": "number" } });
    assert_eq!(warnings(dob(&told)).await, []);
}

#[tokio::test]
async fn an_exposed_tool_without_a_handler_is_a_warning() {
    let flow = TestFlow::new(Steps::new().add(Bare(&["a"]))).define(["a"]);
    assert_eq!(
        warnings(flow).await,
        [BuildWarning::NoHandler { step: Bare::ID, tool: "a".to_owned() }]
    );
}

#[tokio::test]
async fn a_set_with_a_name_that_is_not_exposed_is_a_warning() {
    let flow = TestFlow::new(Steps::new().add(GroupBase).add(Bare(&["a"]))).define(["a"]);
    assert_eq!(
        warnings(flow).await,
        [
            BuildWarning::UnreachableGroup {
                step: GroupBase::ID,
                method: "handle",
                tool: "a".to_owned(),
            },
            BuildWarning::NoHandler { step: Bare::ID, tool: "a".to_owned() }
        ]
    );
}

#[tokio::test]
async fn a_definition_that_no_step_exposes_is_a_warning() {
    let flow =
        TestFlow::new(Steps::new().add(Bare(&[])).add(TerminateSessionStep)).define(["forgotten"]);
    assert_eq!(
        warnings(flow).await,
        [BuildWarning::NeverExposed { flow: FLOW, tool: "forgotten".to_owned() }]
    );
}

struct Elsewhere;

#[tools]
impl Step for Elsewhere {}

struct GoesAstray;

#[tools]
impl Step for GoesAstray {
    /// Leaves for a step that is not there
    #[tool(define)]
    fn astray(&self) -> ToolResponse {
        go(Elsewhere::ID)
    }

    /// The same by name
    #[tool(define)]
    fn away(&self) -> ToolResponse {
        go("Nowhere")
    }
}

#[tokio::test]
async fn a_target_that_is_no_step_of_the_flow_is_a_warning() {
    let flow = TestFlow::new(Steps::new().add(GoesAstray));
    let unknown = |method, target: &str| BuildWarning::UnknownTarget {
        flow: FLOW,
        step: GoesAstray::ID,
        method,
        target: target.to_owned(),
    };
    assert_eq!(warnings(flow).await, [unknown("astray", "Elsewhere"), unknown("away", "Nowhere")]);
    let text = unknown("away", "Nowhere").to_string();
    assert!(text.contains("`away` goes to `Nowhere`"), "{text}");
}

#[tokio::test]
async fn a_strict_build_fails_on_warnings() {
    let engine = Engine::builder().flow(TestFlow::new(Steps::new().add(GoesAstray)));
    let error = engine.model(ScriptedModel::new()).strict().build().await;
    let error = error.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("2 found"), "{text}");
    assert!(text.contains("(strict) step `GoesAstray`: `astray`"), "{text}");
    let BuildError::Flows { faults, warnings } = error else {
        panic!("{error}");
    };
    assert_eq!((faults.len(), warnings.len()), (0, 2));
}

/// Exposes what its set handles.
struct Exposes(GroupBase);

#[tools]
impl Step for Exposes {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tool("a")]
    fn one(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn a_set_of_one_that_shadows_the_single_handler_is_a_note_and_no_warning() {
    let flow = TestFlow::new(Steps::new().add(Exposes(GroupBase))).define(["a"]);
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new());
    let engine = engine.strict().build().await.unwrap();
    let report = engine.flow(FLOW).unwrap().report();
    assert_eq!(
        report.notes,
        [BuildNote::GroupShadowsSingle {
            step: Exposes::ID,
            tool: "a".to_owned(),
            group: "handle",
            single: "one",
        }]
    );
    assert_eq!(report.faults, []);
}

/// A base with both kinds of definition.
struct SharedBase;

#[tools]
impl Step for SharedBase {
    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![definition("listed")]
    }

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["listed".into()]
    }

    fn listed(&self) -> ToolResponse {
        stay()
    }

    /// Defined with its handler
    #[tool(define)]
    fn annotated(&self) -> ToolResponse {
        stay()
    }
}

struct Left(SharedBase);

#[tools]
impl Step for Left {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

struct Right(SharedBase);

#[tools]
impl Step for Right {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

#[tokio::test]
async fn a_definition_inherited_by_two_steps_is_no_duplicate() {
    let steps = Steps::new().add(Left(SharedBase)).add(Right(SharedBase)).add(SharedBase);
    let engine = Engine::builder().flow(TestFlow::new(steps));
    let engine = engine.model(ScriptedModel::new()).strict().build().await;
    let engine = engine.unwrap();
    for step in ["Left", "Right", "SharedBase"] {
        assert_eq!(exposed(&engine, step), ["listed", "annotated"], "{step}");
    }
}

struct Entrance;

#[tools]
impl Step for Entrance {
    /// Go inside
    #[tool(define)]
    fn enter(&self) -> ToolResponse {
        go(Hall::ID)
    }
}

struct Hall;

#[tools]
impl Step for Hall {}

struct Attic;

#[tools]
impl Step for Attic {}

struct House;

#[tools]
impl Flow for House {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Entrance).add(Hall).add(Attic)
    }
}

#[tokio::test]
async fn a_step_that_nothing_routes_to_is_a_warning() {
    assert_eq!(
        warnings(House).await,
        [BuildWarning::NeverReached { flow: House::ID, step: Attic::ID }]
    );
}
