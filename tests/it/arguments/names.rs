//! Names of arguments: those that no parameter has, and those that providers refuse.

use super::Desk;
use crate::support::TestFlow;
use picoflow::{BuildError, flow::BuildFault, no_arguments, prelude::*, testing::ScriptedModel};
use std::collections::BTreeMap;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is read is enough to tell")]
struct Order {
    items: Vec<Item>,
    best: Option<Item>,
    #[serde(flatten)]
    how: How,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is read is enough to tell")]
struct Item {
    name: String,
    colour: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "how")]
#[expect(dead_code, reason = "what is read is enough to tell")]
enum How {
    Fast { until: Option<u8> },
    Slow { after: Option<u8> },
}

#[derive(Deserialize, JsonSchema)]
struct Labels {
    #[expect(dead_code, reason = "what is read is enough to tell")]
    id: Option<u8>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Default)]
struct Search;

#[tools]
impl Step for Search {
    /// Searches
    #[tool(define)]
    fn grep(&self, pattern: String, files: Option<String>) -> Json<(String, Option<String>)> {
        Json((pattern, files))
    }

    /// Searches, strictly
    #[tool(define, strict)]
    fn strict(&self, pattern: String, files: Option<String>) -> Json<(String, Option<String>)> {
        Json((pattern, files))
    }

    /// Takes nothing
    #[tool(define)]
    fn ping(&self) -> Json<u8> {
        Json(1)
    }

    /// Takes an order
    #[tool(define)]
    fn order(&self, Args(order): Args<Order>) -> Json<usize> {
        Json(order.items.len())
    }

    /// Takes any label
    #[tool(define)]
    fn label(&self, Args(labels): Args<Labels>) -> Json<usize> {
        Json(labels.rest.len())
    }

    /// Takes anything
    #[tool(define)]
    fn raw(&self, Args(value): Args<Value>) -> Json<Value> {
        Json(value)
    }

    /// Takes two in one reply
    #[tools(["ping", "grep"])]
    fn both(&self, _calls: &[ToolCall]) -> Json<u8> {
        Json(2)
    }
}

#[tokio::test]
async fn a_name_that_no_parameter_has_is_a_warning() {
    let mut desk = Desk::new::<Search>().await;
    assert_eq!(desk.call("grep", r#"{"pattern":"x","filePattern":"a.rs"}"#).await, r#"["x",null]"#);
    let warnings = desk.warnings();
    assert_eq!(warnings.len(), 1);
    for part in ["grep", "`/filePattern`", "did you mean `files`"] {
        assert!(warnings[0].contains(part), "{part}: {warnings:?}");
    }
    assert_eq!(desk.call("ping", r#"{"loud":true}"#).await, "1");
    assert!(desk.warnings()[0].contains("`/loud`"));
    let calls = [("ping", r#"{"loud":1}"#), ("grep", r#"{"pattern":"x","n":1}"#)];
    let calls = calls.map(|(tool, text)| ToolCall::from_text(tool, tool, text));
    desk.harness.reply(calls.into()).await.unwrap();
    let warnings = desk.warnings();
    assert!(warnings[0].contains("`/loud`") && warnings[1].contains("`/n`"), "{warnings:?}");
}

#[tokio::test]
async fn nested_names_are_told_with_their_path() {
    let mut desk = Desk::new::<Search>().await;
    let text = r#"{"how":"Fast","after":1,"items":[{"name":"a"},{"name":"b","color":"red"}],"best":{"name":"c","size":1}}"#;
    assert_eq!(desk.call("order", text).await, "2");
    let warnings = desk.warnings();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for (warning, parts) in warnings.iter().zip([
        ["`/after`", "`until`"],
        ["`/items/1/color`", "did you mean `colour`"],
        ["`/best/size`", "`name`"],
    ]) {
        assert!(parts.iter().all(|part| warning.contains(part)), "{warning}");
    }
}

#[tokio::test]
async fn a_name_that_no_parameter_has_is_refused_strictly() {
    let mut desk = Desk::new::<Search>().await;
    let told = desk.call("strict", r#"{"pattern":"x","filePattern":"a.rs"}"#).await;
    for part in ["at `/filePattern`", "did you mean `files`"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(desk.call("strict", r#"{"pattern":"x","files":null}"#).await, r#"["x",null]"#);
}

#[tokio::test]
async fn what_takes_any_name_warns_of_none() {
    let mut desk = Desk::new::<Search>().await;
    assert_eq!(desk.call("label", r#"{"id":1,"a":1,"b":{"c":2}}"#).await, "2");
    assert_eq!(desk.call("raw", r#"{"a":{"b":1}}"#).await, r#"{"a":{"b":1}}"#);
    let text = r#"{"how":"Slow","after":1,"items":[{"name":"a","colour":null}]}"#;
    assert_eq!(desk.call("order", text).await, "1");
    assert_eq!(desk.warnings(), [""; 0]);
}

struct Written(Value);

impl Step for Written {
    const ID: StepId = StepId::new("Written");

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition::new("measure", "Measure", self.0.clone())]
    }
}

#[tokio::test]
async fn property_names_that_providers_refuse_fail_the_build() {
    for name in ["größe", "a/b", "", &"x".repeat(65)] {
        let schema = json!({
            "type": "object",
            "properties": { "list": { "items": { "$ref": "#/$defs/Inner" } } },
            "$defs": { "Inner": { "type": "object", "properties": { name: {}, "fine.a-b_1": {} } } },
        });
        let flow = TestFlow::new(Steps::new().add(Written(schema)));
        let error = Engine::builder().flow(flow).model(ScriptedModel::new()).build().await;
        let Err(BuildError::Flows { faults, .. }) = error.map(|_| ()) else { panic!("{name:?}") };
        let place = format!("/$defs/Inner/properties/{}", name.replace('/', "~1"));
        assert!(faults.iter().any(|fault| matches!(
            fault,
            BuildFault::PropertyName { tool, place: at, .. } if tool == "measure" && *at == place
        )), "{faults:?}");
        assert!(faults[0].to_string().contains("serde(rename"), "{}", faults[0]);
    }
    let flow = TestFlow::new(Steps::new().add(Written(no_arguments())));
    assert!(Engine::builder().flow(flow).model(ScriptedModel::new()).build().await.is_ok());
}
