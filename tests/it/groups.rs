//! Methods that handle all calls of a reply at once.

use crate::support::{Talk, TestFlow, answers, calls, warnings};
#[cfg(feature = "validate")]
use picoflow::testing::{Rule, ScriptedModel};
use picoflow::{Reply, prelude::*};

struct Weather;

#[tools]
impl Step for Weather {
    #[tool]
    fn weather(&self) -> ToolResponse {
        stay_with("weather alone")
    }

    #[tool]
    fn forecast(&self) -> ToolResponse {
        stay_with("forecast alone")
    }

    #[tool]
    fn traffic(&self) -> ToolResponse {
        stay_with("traffic alone")
    }

    #[tools(["weather", "forecast"])]
    fn both(&self, cx: &mut Cx<'_>, calls: &[ToolCall]) -> ToolResponse {
        let names: Vec<_> = calls.iter().map(ToolCall::name).collect();
        cx.save_state(json!({ "group": names }));
        stay_with("group")
    }

    #[tools(["traffic"])]
    fn all_traffic(&self, _calls: &[ToolCall]) -> Result<ToolResponse, ToolError> {
        Err(ToolError::feedback("no traffic today"))
    }
}

async fn weather(names: &[&'static str]) -> (Talk, Reply) {
    let flow = TestFlow::new(Steps::new().add(Weather)).define(["weather", "forecast", "traffic"]);
    let mut talk = Talk::of(flow, calls(names)).await;
    let reply = talk.say("Hi").await;
    (talk, reply)
}

#[tokio::test]
async fn a_set_is_matched_without_order_and_with_repeats() {
    for names in [
        &["weather", "forecast"][..],
        &["forecast", "weather"],
        &["weather", "forecast", "weather"],
    ] {
        let (talk, _) = weather(names).await;
        assert_eq!(talk.state("Weather").await, json!({ "group": names }));
        let told = answers(&talk.last_request());
        assert_eq!(told, vec!["group"; names.len()], "{names:?}");
    }
}

#[tokio::test]
async fn a_missing_or_an_extra_name_does_not_match_a_set() {
    let (talk, _) = weather(&["weather", "weather"]).await;
    assert_eq!(answers(&talk.last_request()), ["weather alone", "weather alone"]);
    let (talk, _) = weather(&["weather", "forecast", "traffic"]).await;
    assert_eq!(answers(&talk.last_request()), ["weather alone", "forecast alone", "traffic alone"]);
    assert_eq!(talk.state("Weather").await, Value::Null);
}

#[tokio::test]
async fn a_reply_with_a_name_that_is_not_exposed_matches_no_set() {
    let (talk, reply) = weather(&["weather", "forecast", "invented"]).await;
    let told = answers(&talk.last_request());
    assert_eq!(told[..2], ["weather alone", "forecast alone"]);
    assert!(told[2].contains("'invented' does not exist"), "{told:?}");
    assert_eq!(warnings(&reply), ["hallucinated tool: invented"]);
}

#[tokio::test]
async fn a_set_is_authoritative_whatever_it_returns() {
    let (talk, _) = weather(&["traffic"]).await;
    assert_eq!(answers(&talk.last_request()), ["no traffic today"]);
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn one_invalid_call_keeps_a_group_from_running() {
    struct Cities;

    #[tools]
    impl Step for Cities {
        /// Look a city up
        #[tool(define)]
        fn city(&self, name: String) -> ToolResponse {
            stay_with(name)
        }

        #[tools(["city"])]
        fn all(&self, cx: &mut Cx<'_>, calls: &[ToolCall]) -> ToolResponse {
            cx.save_state(json!({ "calls": calls.len() }));
            stay()
        }
    }

    let model = ScriptedModel::new()
        .on_call(
            Rule::new().times(1),
            [("city", json!({ "name": "LA" })), ("city", json!({ "name": 7 }))],
        )
        .on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Cities), model).await;
    talk.say("Hi").await;
    assert_eq!(talk.state("Cities").await, Value::Null);
    let told = answers(&talk.last_request());
    assert!(told[0].contains("Not run"), "{told:?}");
    assert!(told[1].contains("/name"), "{told:?}");
}

/// Moves on, or fails, for the whole reply.
struct Joint;

#[tools]
impl Step for Joint {
    #[tool]
    fn left(&self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn right(&self) -> ToolResponse {
        stay()
    }

    #[tools(["left", "right"])]
    fn both(&self, cx: &mut Cx<'_>, calls: &[ToolCall]) -> Result<ToolResponse, ToolError> {
        cx.save_state(json!({ "calls": calls.len() }));
        if calls.len() > 2 {
            return Err(ToolError::internal("too many"));
        }
        Ok(go(Landing::ID).with_message("Both are done.").with_tool_feedback("done together"))
    }
}

struct Landing;

#[tools]
impl Step for Landing {}

async fn joint(names: &[&'static str]) -> (Talk, Reply) {
    let steps = Steps::new().add(Joint.memory("shared")).add(Landing.memory("shared"));
    let flow = TestFlow::new(steps).define(["left", "right"]);
    let mut talk = Talk::of(flow, calls(names)).await;
    let reply = talk.say("Hi").await;
    (talk, reply)
}

#[tokio::test]
async fn what_a_group_decides_is_applied_once_and_every_call_is_answered() {
    let (talk, reply) = joint(&["left", "right"]).await;
    assert_eq!(reply.step, Landing::ID);
    assert_eq!(
        talk.memory("shared").await,
        [
            "human: Hi",
            "ai: [left, right]",
            "tool: done together",
            "tool: done together",
            "human: Both are done.",
            "ai: Done."
        ]
    );
}

#[tokio::test]
async fn a_group_that_fails_is_undone_and_answers_every_call() {
    let (talk, reply) = joint(&["left", "right", "left"]).await;
    assert_eq!(reply.step, Joint::ID);
    assert_eq!(talk.state("Joint").await, Value::Null);
    let told = answers(&talk.last_request());
    assert_eq!(told.len(), 3);
    assert!(told[0].starts_with("The tool failed"), "{told:?}");
    let errors = talk.session().await.error;
    assert_eq!(errors.len(), 1);
    assert!(errors[0].message.contains("too many"), "{errors:?}");
}
