//! A call that a model writes as its text.

use super::steps;
use crate::support::{Talk, warnings};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

const CALL: &str = r#"{"name": "look_up", "arguments": {"city": "LA"}}"#;

/// The warnings of a turn whose reply is this text, and the entries of the session.
async fn said(steps: Steps, text: &str) -> (Vec<String>, Value) {
    let mut talk = Talk::new(steps, ScriptedModel::new().on(Rule::new(), text)).await;
    let reply = talk.say("Hi").await;
    let kept: Value =
        serde_json::from_str(&reply.text).unwrap_or_else(|_| Value::from(&*reply.text));
    let given = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    assert_eq!(kept, given);
    let entries = serde_json::to_value(&talk.session().await.warn).unwrap();
    (warnings(&reply).into_iter().map(str::to_owned).collect(), entries)
}

#[tokio::test]
async fn a_call_as_text_stays_text_with_a_warning() {
    for text in [
        CALL.to_owned(),
        format!("```json\n{CALL}\n```"),
        format!("<tool_call>\n{CALL}\n</tool_call>"),
        r#"{"function": {"name": "look_up", "parameters": {}}}"#.to_owned(),
    ] {
        let (warnings, entries) = said(steps(), &text).await;
        assert!(entries[0]["message"].as_str().is_some_and(|it| it == warnings[0]), "{entries}");
        assert_eq!(warnings.len(), 1, "{text}");
        assert!(warnings[0].starts_with("the model wrote a call of tool 'look_up' as its text"));
        assert_eq!(entries[0]["code"], "TOOL_CALL_AS_TEXT");
        assert_eq!((&entries[0]["step"], &entries[0]["tool"]), (&json!("Desk"), &json!("look_up")));
    }
}

#[tokio::test]
async fn other_texts_are_no_calls() {
    for text in [
        "Hello.".to_owned(),
        format!("I call {CALL}"),
        format!("{CALL}\nOne moment."),
        // A tool of another step.
        r#"{"name": "pay_now", "arguments": {}}"#.to_owned(),
        r#"{"city": "LA"}"#.to_owned(),
    ] {
        assert_eq!(said(steps(), &text).await.0, [""; 0], "{text}");
    }
}

/// Answers with JSON, and offers a tool.
struct Form;

#[tools]
impl Step for Form {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(json!({ "type": "object" }))
    }

    /// Look up
    #[tool(define)]
    fn look_up(&self) -> ToolResponse {
        stay()
    }
}

/// Hides its tool.
struct Shy;

#[tools]
impl Step for Shy {
    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        Hidden::All
    }

    /// Look up
    #[tool(define)]
    fn look_up(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn json_that_is_due_is_no_call() {
    let (warnings, _) = said(Steps::new().add(Form), CALL).await;
    assert!(warnings.iter().all(|text| !text.contains("wrote a call")), "{warnings:?}");
}

#[tokio::test]
async fn a_hidden_tool_is_not_called_by_text() {
    assert_eq!(said(Steps::new().add(Shy), CALL).await.0, [""; 0]);
}

struct Parent;

#[tools]
impl Step for Parent {
    /// Ask
    #[tool(define)]
    async fn ask(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Worker::ID, Some("Work.")).await?;
        Ok(stay())
    }
}

struct Worker;

#[tools]
impl Step for Worker {
    /// Look up
    #[tool(define)]
    fn look_up(&self) -> ToolResponse {
        direct_result("found")
    }
}

#[tokio::test]
async fn a_child_that_writes_a_call_is_warned_of() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Parent").times(1), [("ask", json!({}))])
        .on(Rule::new().step("Worker"), CALL)
        .on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Parent).add(Worker), model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(warnings(&reply).len(), 1);
    assert_eq!(talk.session().await.warn[0].extra["step"], "Worker");
}
