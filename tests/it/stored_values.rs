//! What may be saved: JSON without holes, under keys that are the flow's own.

use crate::support::{Talk, TestFlow, answers};
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel, StepHarness},
};
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Keep {
    rates: Vec<Rate>,
}

#[derive(Serialize)]
enum Rate {
    Of(f64),
}

fn keep(ratio: f64) -> Keep {
    Keep { rates: vec![Rate::Of(1.5), Rate::Of(ratio)] }
}

/// Writes what its tool says, in the way that it says.
struct Writer;

#[tools]
impl Step for Writer {
    fn state_channels(&self) -> Channels {
        Channels::new().add("all", Channel::append())
    }

    /// Write a ratio
    #[tool(define)]
    async fn write(&self, cx: &mut Cx<'_>, how: String, ratio: Option<f64>) -> ToolResponse {
        let value = keep(ratio.unwrap_or(f64::NAN));
        match how.as_str() {
            "save_state" => cx.save_state(value),
            "save_transient" => cx.save_transient(value),
            "save_step_state" => cx.save_step_state(Child::ID, value),
            "save_step_transient" => cx.save_step_transient(Child::ID, value),
            "contribute" => cx.contribute("all", value),
            "with_state" => return stay().with_state(value),
            "reserved" => cx.save_state(json!({ "_prompt": "x" })),
            "reserved step" => cx.save_step_state(Child::ID, json!({ "_prompt": "x" })),
            "reserved with" => return stay().with_state(json!({ "_prompt": "x", "y": 1 })),
            "reserved remove" => drop(cx.remove_state("_prompt")),
            _ => {
                let came = cx.run_step(Child::ID, None).await;
                return stay_with(came.map_or_else(|error| error.to_string(), |it| it.to_string()));
            }
        }
        stay()
    }

    /// Tell a ratio
    #[tool(define)]
    fn tell(&self, ratio: Option<f32>) -> Json<BTreeMap<&'static str, Option<f32>>> {
        Json(BTreeMap::from([("none", None), ("ratio", Some(ratio.unwrap_or(f32::INFINITY)))]))
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let ratio = ToolDefinition::new("ratio", "A ratio", picoflow::no_arguments());
        vec![NativeTool::new(ratio, |_arguments, _cx| async { Json([1.0, f64::NAN]) })]
    }
}

struct Child;

#[tools]
impl Step for Child {
    /// Answer
    #[tool(define)]
    fn answer(&self) -> ToolResponse {
        direct_result(keep(f64::NEG_INFINITY))
    }
}

async fn talk(tool: &'static str, arguments: Value) -> Talk {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("act").times(1), [(tool, arguments)])
        .on_call(Rule::new().step("Child").times(1), [("answer", json!({}))])
        .on(Rule::new(), "Done.");
    Talk::of(TestFlow::new(Steps::new().add(Writer).add(Child)), model).await
}

#[tokio::test]
async fn a_float_without_a_number_fails_at_the_write() {
    for method in [
        "save_state",
        "save_transient",
        "save_step_state",
        "save_step_transient",
        "contribute",
        "with_state",
    ] {
        let mut talk = talk("write", json!({ "how": method })).await;
        talk.say("Hi").await;
        let error = talk.fail("act").await;
        let TurnError::Misuse { step, reason } = &error else {
            panic!("{method}: {error}");
        };
        assert_eq!(*step, Writer::ID);
        assert!(reason.contains(&format!("`{method}`")), "{reason}");
        assert!(reason.contains("at `/rates/1/Of`: JSON has no number for `NaN`"), "{reason}");
    }
}

#[tokio::test]
async fn ordinary_floats_are_stored_as_they_are() {
    for method in ["save_state", "with_state"] {
        let mut talk = talk("write", json!({ "how": method, "ratio": 0.1 })).await;
        talk.say("act").await;
        assert_eq!(talk.state("Writer").await, json!({ "rates": [{ "Of": 1.5 }, { "Of": 0.1 }] }));
    }
}

#[tokio::test]
async fn a_result_without_a_number_is_the_childs_failure() {
    let mut talk = talk("write", json!({ "how": "run" })).await;
    talk.say("act").await;
    let told = answers(&talk.last_request());
    assert!(told[0].contains("`direct_result`"), "{told:?}");
    assert!(told[0].contains("at `/rates/1/Of`: JSON has no number for `-inf`"), "{told:?}");
}

#[tokio::test]
async fn data_without_a_number_is_an_internal_error_with_its_path() {
    for (tool, path) in [("tell", "/ratio"), ("ratio", "/1")] {
        let mut talk = talk(tool, json!({})).await;
        talk.say("act").await;
        let told = answers(&talk.last_request());
        assert!(told[0].starts_with("The tool failed"), "{told:?}");
        let noted = &talk.session().await.error[0].message;
        assert!(noted.contains(&format!("at `{path}`: JSON has no number for")), "{noted}");
    }
    let mut talk = talk("tell", json!({ "ratio": 0.5 })).await;
    talk.say("act").await;
    assert_eq!(answers(&talk.last_request()), [r#"{"none":null,"ratio":0.5}"#]);
}

#[tokio::test]
async fn the_key_of_the_prompt_is_not_the_flows_to_write() {
    for how in ["reserved", "reserved step", "reserved with", "reserved remove"] {
        let mut talk = talk("write", json!({ "how": how })).await;
        talk.say("Hi").await;
        let error = talk.fail("act").await;
        assert!(
            matches!(&error, TurnError::Misuse { reason, .. } if reason.contains("`_prompt`") && reason.contains("`with_prompt`")),
            "{how}: {error}"
        );
    }
}

/// Gets a prompt by a transition, and says what it sees of its state.
struct Prompted;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    known: u8,
}

#[tools]
impl Step for Prompted {
    async fn on_response(&self, cx: &mut Cx<'_>, _output: ModelOutput) -> HookResult<StepResponse> {
        let known = cx.state_as::<Known>()?.known;
        let seen = cx.step_state(Self::ID);
        Ok(format!("{known} {seen}").into())
    }
}

struct Sender;

#[tools]
impl Step for Sender {
    /// Go on
    #[tool(define)]
    fn send(&self) -> ToolResponse {
        go(Prompted::ID).with_prompt("Given.").with_state(json!({ "known": 1 }))
    }
}

#[tokio::test]
async fn a_prompt_of_a_transition_is_stored_and_not_state() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Sender"), [("send", json!({}))])
        .on(Rule::new(), "Yes.");
    let mut talk = Talk::new(Steps::new().add(Sender).add(Prompted), model).await;
    assert_eq!(talk.say("Hi").await.text, r#"1 {"known":1}"#);
    // The document keeps it in the state, so that it is there in the next turn.
    assert_eq!(talk.state("Prompted").await, json!({ "known": 1, "_prompt": "Given." }));
    assert_eq!(talk.say("more").await.text, r#"1 {"known":1}"#);
    assert_eq!(talk.last_request().prompt(), "Given.");
}

#[tokio::test]
async fn a_harness_sees_no_prompt_in_the_state() {
    let talk = talk("write", json!({})).await;
    let mut step = StepHarness::new(&talk.engine, "TestFlow", Writer::ID).unwrap();
    step.cx().save_state(json!({ "a": 1 }));
    assert_eq!(*step.cx().state(), json!({ "a": 1 }));
}
