//! What a handler may take and return.

use crate::support::{Talk, answers, exposed};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::fmt;

#[derive(Deserialize, JsonSchema)]
struct City {
    name: String,
}

struct Forms;

#[tools]
impl Step for Forms {
    /// Nothing at all
    #[tool(define)]
    fn nothing(&self) -> ToolResponse {
        stay_with("nothing")
    }

    /// Everything, in an odd order
    #[tool(define)]
    async fn everything(
        &self,
        call: ToolCall,
        Args(city): Args<City>,
        cx: &mut Cx<'_>,
    ) -> Result<ToolResponse, ToolError> {
        tokio::task::yield_now().await;
        cx.save_state(json!({ "city": city.name }));
        Ok(stay_with(format!("{} {}", call.name(), city.name)))
    }

    /// The context to read
    #[tool(define)]
    fn reads(&self, cx: &Cx<'_>, call: &ToolCall) -> ToolResponse {
        stay_with(format!("{} {}", cx.step_id(), call.arguments()))
    }

    /// Whatever comes
    #[tool(define)]
    fn raw(&self, Args(raw): Args<Value>) -> Json<Value> {
        Json(json!({ "got": raw }))
    }

    /// Fields by name
    #[tool(define)]
    fn named(
        &self,
        /// Four digits
        #[schemars(range(min = 1900))]
        year: u16,
        #[serde(rename = "theNote")] note: Option<String>,
        mut tags: Vec<String>,
    ) -> Json<Vec<String>> {
        tags.push(format!("{year} {note:?}"));
        Json(tags)
    }

    /// An error of one's own
    #[tool(define)]
    fn own_error(&self) -> Result<Json<u8>, Closed> {
        Err(Closed)
    }

    /// Compiled out
    #[cfg(not(test))]
    #[tool(define)]
    fn gone(&self) -> NoSuchType {
        stay()
    }

    /// Compiled in
    #[cfg(test)]
    #[tool(define)]
    fn here(&self) -> ToolResponse {
        self.helper(1)
    }

    fn helper(&self, count: usize) -> ToolResponse {
        stay_with(format!("helped {} {count}", size_of_val(self)))
    }
}

#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closed")
    }
}

impl std::error::Error for Closed {}

async fn told(tool: &'static str, arguments: Value) -> (Talk, String) {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [(tool, arguments)])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Forms), model).await;
    talk.say("Hi").await;
    let told = answers(&talk.last_request()).remove(0);
    (talk, told)
}

#[tokio::test]
async fn a_handler_takes_what_it_needs_in_any_order() {
    let city = json!({ "name": "LA" });
    for (tool, arguments, expected) in [
        ("nothing", json!({}), "nothing"),
        ("everything", city, "everything LA"),
        ("reads", json!({}), "Forms {}"),
        ("raw", json!({ "a": [1] }), r#"{"got":{"a":[1]}}"#),
        ("here", json!({}), "helped 0 1"),
        ("named", json!({ "year": 2000, "tags": ["a"] }), r#"["a","2000 None"]"#),
        ("named", json!({ "tags": [], "theNote": "n", "year": 2001 }), r#"["2001 Some(\"n\")"]"#),
    ] {
        let (_, told) = told(tool, arguments).await;
        assert_eq!(told, expected, "{tool}");
    }
}

#[tokio::test]
async fn an_error_of_ones_own_type_is_internal() {
    let (talk, told) = told("own_error", json!({})).await;
    assert!(!told.contains("closed"), "{told}");
    let session = talk.session().await;
    assert_eq!(session.error[0].message, "tool 'own_error': closed");
}

#[tokio::test]
async fn parameters_make_the_schema() {
    let (talk, _) = told("nothing", json!({})).await;
    let request = talk.last_request();
    let schema = |name: &str| {
        let tool = request.tools.iter().find(|tool| tool.name() == name);
        tool.unwrap().schema().clone()
    };
    assert_eq!(schema("nothing"), json!({ "type": "object", "properties": {} }));
    let named = schema("named");
    assert_eq!(named["required"], json!(["year", "tags"]));
    let year = &named["properties"]["year"];
    assert_eq!(year["description"], "Four digits");
    assert_eq!(year["minimum"], 1900);
    assert!(named["properties"]["theNote"].is_object(), "{named}");
    assert_eq!(schema("raw")["type"], "object");
}

#[tokio::test]
async fn a_method_that_is_compiled_out_takes_its_tool_along() {
    let (talk, _) = told("nothing", json!({})).await;
    let tools = exposed(&talk.engine, "Forms");
    assert!(tools.contains(&"here".to_owned()), "{tools:?}");
    assert!(!tools.contains(&"gone".to_owned()), "{tools:?}");
}
