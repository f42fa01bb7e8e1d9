//! Which tools a step offers.

use crate::support::{Talk, TestFlow, answers, definition, exposed, offered, warnings};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::borrow::Cow;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Capture name of user
    #[tool(define)]
    fn user_name(&self, cx: &mut Cx<'_>, name: String) -> ToolResponse {
        cx.save_state(json!({ "name": name }));
        stay()
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID)
    }
}

struct LegacyStep;

#[tools]
impl Step for LegacyStep {
    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["legacy_tool".into(), "aliased_tool".into()]
    }

    fn legacy_tool(&self) -> ToolResponse {
        stay_with("legacy ran")
    }

    #[tool("aliased_tool")]
    fn handle_alias(&self) -> ToolResponse {
        stay_with("alias ran")
    }

    fn never_exposed(&self) -> ToolResponse {
        stay()
    }
}

/// Its tools, and its base's before them.
struct DerivedStep(LegacyStep);

#[tools]
impl Step for DerivedStep {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tool("own_tool")]
    fn own(&self) -> ToolResponse {
        stay()
    }

    #[tool("aliased_tool")]
    fn again(&self) -> ToolResponse {
        stay()
    }
}

struct SetOnly;

#[tools]
impl Step for SetOnly {
    #[tools(["a", "b"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

/// Hides what its state says.
struct Shy;

#[tools]
impl Step for Shy {
    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        match cx.context()["config"]["hide"].as_str() {
            Some("all") => Hidden::All,
            Some("secret") => ["secret"].into(),
            Some("unknown") => ["nobody"].into(),
            _ => Hidden::None,
        }
    }

    #[tool]
    fn open(&self) -> ToolResponse {
        stay_with("open ran")
    }

    #[tool]
    fn secret(&self) -> ToolResponse {
        stay_with("secret ran")
    }

    #[tools(["open", "secret"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay_with("both ran")
    }
}

fn talker() -> ScriptedModel {
    ScriptedModel::new().on(Rule::new(), "Hello.")
}

#[tokio::test]
async fn annotated_tools_are_exposed_in_the_order_of_their_methods() {
    let steps = Steps::new().add(NameStep).add(TerminateSessionStep);
    let talk = Talk::new(steps, talker()).await;
    assert_eq!(exposed(&talk.engine, "NameStep"), ["user_name", "terminate_session"]);
    assert_eq!(exposed(&talk.engine, "TerminateSessionStep"), [""; 0]);
}

#[tokio::test]
async fn used_names_come_first_and_an_undecorated_method_handles_its_own() {
    let flow = TestFlow::new(Steps::new().add(LegacyStep)).define([
        "aliased_tool",
        "legacy_tool",
        "never_exposed",
    ]);
    let model = ScriptedModel::new()
        .on_call(
            Rule::new().latest("go on"),
            [("legacy_tool", json!({})), ("aliased_tool", json!({}))],
        )
        .on(Rule::new().latest("alias ran"), "Both ran.");
    let mut talk = Talk::of(flow, model).await;
    assert_eq!(exposed(&talk.engine, "LegacyStep"), ["legacy_tool", "aliased_tool"]);
    assert_eq!(talk.say("go on").await.text, "Both ran.");
    assert_eq!(answers(&talk.last_request()), ["legacy ran", "alias ran"]);
}

#[tokio::test]
async fn a_base_is_exposed_first_and_the_first_place_of_a_name_is_kept() {
    let flow = TestFlow::new(Steps::new().add(DerivedStep(LegacyStep))).define([
        "own_tool",
        "aliased_tool",
        "legacy_tool",
    ]);
    let talk = Talk::of(flow, talker()).await;
    assert_eq!(exposed(&talk.engine, "DerivedStep"), ["legacy_tool", "aliased_tool", "own_tool"]);
}

#[tokio::test]
async fn the_model_is_offered_what_the_step_exposes_with_its_definition() {
    let steps = Steps::new().add(NameStep).add(TerminateSessionStep);
    let mut talk = Talk::new(steps, talker()).await;
    talk.say("Hi").await;
    let request = talk.last_request();
    assert_eq!(offered(&request), ["user_name", "terminate_session"]);
    assert_eq!(request.tools[0].description(), "Capture name of user");
    let name = &request.tools[0].schema()["properties"]["name"];
    assert_eq!(name["type"], "string");
}

#[tokio::test]
async fn a_step_whose_only_attribute_is_a_set_offers_nothing() {
    let flow = TestFlow::new(Steps::new().add(SetOnly)).define(["a", "b"]);
    let mut talk = Talk::of(flow, talker()).await;
    assert_eq!(exposed(&talk.engine, "SetOnly"), [""; 0]);
    talk.say("Hi").await;
    assert_eq!(offered(&talk.last_request()), [""; 0]);
}

async fn shy(hide: &str, model: ScriptedModel) -> (Talk, picoflow::Reply) {
    let flow = TestFlow::new(Steps::new().add(Shy)).define(["open", "secret"]);
    let mut talk = Talk::of(flow, model).await;
    let turn = talk.opening().message("Hi").config(json!({ "hide": hide }));
    let reply = talk.run(turn).await.unwrap();
    (talk, reply)
}

#[tokio::test]
async fn hidden_names_are_not_offered() {
    for (hide, left) in [("none", &["open", "secret"][..]), ("secret", &["open"]), ("all", &[])] {
        let (talk, reply) = shy(hide, talker()).await;
        assert_eq!(offered(&talk.last_request()), left, "{hide}");
        assert_eq!(warnings(&reply), [""; 0], "{hide}");
    }
}

#[tokio::test]
async fn hiding_a_name_that_is_not_exposed_warns_and_hides_nothing() {
    let (talk, reply) = shy("unknown", talker()).await;
    assert_eq!(offered(&talk.last_request()), ["open", "secret"]);
    assert_eq!(warnings(&reply), ["`hide_tools` names `nobody`, which the step does not expose"]);
}

#[tokio::test]
async fn a_hidden_tool_cannot_be_called_and_is_not_named_to_the_model() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("secret", json!({}))])
        .on(Rule::new(), "Well.");
    let (talk, reply) = shy("secret", model).await;
    assert_eq!(warnings(&reply), ["hallucinated tool: secret"]);
    assert_eq!(
        answers(&talk.last_request()),
        ["Tool 'secret' does not exist here. The tools here are: open."]
    );
}

#[tokio::test]
async fn a_set_with_a_hidden_tool_is_not_handled_as_a_group() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("open", json!({})), ("secret", json!({}))])
        .on(Rule::new(), "Well.");
    let (talk, _) = shy("secret", model).await;
    let answers = answers(&talk.last_request());
    assert_eq!(answers[0], "open ran");
    assert!(answers[1].contains("does not exist here"), "{answers:?}");
}

#[tokio::test]
async fn the_dispatch_table_answers_for_names_and_for_sets() {
    let flow = TestFlow::new(Steps::new().add(Shy)).define(["open", "secret"]);
    let talk = Talk::of(flow, talker()).await;
    let step = talk.engine.flow("TestFlow").unwrap().step("Shy").unwrap();
    assert!(step.has_handler(&["open"]));
    assert!(step.has_handler(&["secret", "open", "secret"]));
    assert!(!step.has_handler(&["nobody"]));
    assert!(!step.has_handler(&["open", "nobody"]));
}

#[test]
fn a_definition_has_three_parts() {
    let tool = serde_json::to_value(definition("ping")).unwrap();
    assert_eq!(
        tool,
        json!({ "name": "ping", "description": "The tool ping", "schema": { "type": "object", "properties": {} } })
    );
}
