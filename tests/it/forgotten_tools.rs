//! Methods that look like tools, and whose attribute was forgotten.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unused_async,
    clippy::unused_self,
    reason = "a method is looked at whatever its visibility, and whether or not it is called"
)]

use crate::{build_warnings::warnings, support::TestFlow};
use picoflow::{BuildError, flow::BuildWarning, prelude::*, testing::ScriptedModel};
use std::borrow::Cow;

type Reply = ToolResponse;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

struct Forgets;

#[tools(parts("more"))]
impl Step for Forgets {
    /// Capture the name
    fn by_type(&self, Args(user): Args<Name>) -> ToolResponse {
        stay_with(user.name)
    }

    /// Capture the city
    pub fn by_field(&self, city: String) -> Json<String> {
        Json(city)
    }

    /// Capture the country
    async fn by_alias(&self, cx: &mut Cx<'_>, country: Option<String>) -> Result<Reply, ToolError> {
        cx.save_state(json!({ "country": country }));
        Ok(stay())
    }

    /// Capture several
    fn by_group(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tools(part = "more")]
impl Forgets {
    /// Capture the street
    fn in_a_part(&self) -> ToolResponse {
        stay()
    }
}

fn forgotten(warnings: &[BuildWarning]) -> Vec<(&str, &str)> {
    let forgotten = warnings.iter().map(|warning| match warning {
        BuildWarning::ForgottenAttribute { owner, method } => (&**owner, *method),
        other => panic!("{other}"),
    });
    forgotten.collect()
}

#[tokio::test]
async fn a_documented_handler_that_nothing_exposes_is_a_warning() {
    let warnings = warnings(TestFlow::new(Steps::new().add(Forgets))).await;
    let methods = ["by_type", "by_field", "by_alias", "by_group", "in_a_part"];
    assert_eq!(forgotten(&warnings), methods.map(|method| ("step `Forgets`", method)));
    let text = warnings[0].to_string();
    for part in ["shape of a handler", "nothing exposes", "`#[tool(define)]`", "`use_tools`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a_strict_build_fails_on_a_forgotten_attribute() {
    let engine = Engine::builder().flow(TestFlow::new(Steps::new().add(Forgets)));
    let error = engine.model(ScriptedModel::new()).strict().build().await.unwrap_err();
    assert!(matches!(error, BuildError::Flows { warnings, .. } if warnings.len() == 5));
}

struct Loose;

#[tools]
impl Flow for Loose {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Careful)
    }

    /// Ask a human for help
    fn call_human(&self) -> ToolResponse {
        direct("Somebody will be with you soon.")
    }
}

#[tokio::test]
async fn a_flows_method_is_warned_of_too() {
    assert_eq!(forgotten(&warnings(Loose).await), [("the flow", "call_human")]);
}

/// Methods that are what they seem: helpers, and handlers that are reached.
struct Careful;

#[tools]
impl Step for Careful {
    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["used".into()]
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition::of::<Name>("used", "Used by name")]
    }

    /// Used by name
    fn used(&self, name: String) -> ToolResponse {
        stay_with(name)
    }

    /// A tool
    #[tool(define)]
    fn tool(&self) -> ToolResponse {
        self.called()
    }

    /// Called by another method.
    fn called(&self) -> ToolResponse {
        stay_with(self.text())
    }

    /// Returns something else.
    fn text(&self) -> String {
        Self::associated(&["a"])
    }

    /// Takes no receiver.
    fn associated(words: &[&str]) -> String {
        words.concat()
    }

    /// Takes what no call holds.
    pub fn opaque(&self, command: &std::process::Command) -> ToolResponse {
        stay_with(format!("{command:?}"))
    }

    // Says by its comment that it is a helper.
    pub fn commented(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn helpers_and_handlers_that_are_reached_are_no_warning() {
    assert_eq!(warnings(TestFlow::new(Steps::new().add(Careful))).await, []);
}

/// Its method is overridden, exposed or run by the step that derives from it.
struct Base;

#[tools]
impl Step for Base {
    /// Exposed by the derived step
    pub fn exposed_below(&self) -> ToolResponse {
        stay()
    }
}

struct Derived(Base);

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["exposed_below".into()]
    }
}

#[tokio::test]
async fn a_method_that_a_derived_step_exposes_is_no_warning() {
    let flow = TestFlow::new(Steps::new().add(Derived(Base))).define(["exposed_below"]);
    assert_eq!(warnings(flow).await, []);
}
