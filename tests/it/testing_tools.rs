//! The tools for tests, tested.

use crate::support::{Broken, TestFlow};
use picoflow::{
    Reply, TurnError,
    prelude::*,
    session::{MemoryStore, Session},
    testing::{Rule, Scenario, ScenarioError, ScriptedModel},
};
use std::{collections::HashSet, sync::Arc};

struct Ask;

#[tools]
impl Step for Ask {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for a color.".into()
    }

    /// Keep a color
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, color: String) -> ToolResponse {
        cx.save_state(json!({ "color": color, "_own": 1 }));
        stay_with("kept")
    }

    /// End it
    #[tool(define)]
    fn end(&self) -> ToolResponse {
        finish("Good bye.")
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().latest("blue"), [("keep", json!({ "color": "blue" }))])
        .on_call(Rule::new().latest("bye"), [("end", json!({}))])
        .on(Rule::new().latest("kept"), "Blue it is.")
        .on(Rule::new().latest("Hi"), "Which color?")
}

async fn engine(model: ScriptedModel) -> Engine {
    let flow = TestFlow::new(Steps::new().add(Ask));
    let engine = Engine::builder().flow(flow).model(model);
    engine.build().await.unwrap()
}

async fn say(engine: &Engine, text: &str) -> Result<Reply, TurnError> {
    engine.run(Turn::new("TestFlow").message(text)).await
}

#[tokio::test]
async fn a_request_without_a_rule_names_step_prompt_and_latest_message() {
    let engine = engine(model()).await;
    let error = say(&engine, "green?").await.unwrap_err().to_string();
    for part in ["Ask", "Ask for a color.", "green?", "keep"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[tokio::test]
async fn the_first_rule_that_matches_answers_and_all_of_its_conditions_hold() {
    let model = ScriptedModel::new()
        .on(Rule::new().step("Other"), "another step's")
        .on(Rule::new().prompt("another prompt"), "another prompt's")
        .on(Rule::new().latest("one").latest("two"), "both")
        .on(Rule::new().step("Ask").prompt("color").latest("one"), "first")
        .on(Rule::new().latest("one"), "second");
    let engine = engine(model).await;
    assert_eq!(say(&engine, "one").await.unwrap().text, "first");
    assert_eq!(say(&engine, "two one").await.unwrap().text, "both");
}

#[tokio::test]
async fn a_rule_with_a_number_of_times_gives_way() {
    let model =
        ScriptedModel::new().on(Rule::new().times(2), "early").on(Rule::new().times(1), "late");
    let engine = engine(model.clone()).await;
    for expected in ["early", "early", "late"] {
        assert_eq!(say(&engine, "Hi").await.unwrap().text, expected);
    }
    assert!(say(&engine, "Hi").await.is_err());
    assert_eq!(model.calls(), 4);
}

#[tokio::test]
async fn ids_of_scripted_calls_never_repeat() {
    let engine = engine(model()).await;
    let mut ids = HashSet::new();
    for _ in 0..3 {
        let reply = say(&engine, "blue").await.unwrap();
        let session = engine.session(&reply.session).await.unwrap().unwrap();
        let messages = session.flow.memory["Ask"].conversation();
        let calls = messages.iter().flat_map(|message| message.tool_calls());
        for call in calls {
            assert!(ids.insert(call.id().to_owned()), "{}", call.id());
        }
    }
    assert_eq!(ids.len(), 3);
}

fn scenario(turns: &Value, state: &Value) -> Scenario {
    let document = json!({ "flowName": "TestFlow", "turns": turns, "finalState": state });
    serde_json::from_value(document).unwrap()
}

fn turn(input: &str, step: &str, includes: &[&str], completed: bool) -> Value {
    json!({ "label": format!("says {input}"), "input": input, "expectedActiveStep": step,
            "responseMustInclude": includes, "completed": completed })
}

#[tokio::test]
async fn a_scenario_that_holds_returns_the_last_document() {
    let scenario = scenario(
        &json!([
            turn("Hi", "Ask", &["COLOR"], false),
            turn("blue", "Ask", &["blue", "Blue"], false),
            turn("bye", "Ask", &[], true)
        ]),
        &json!({ "Ask": { "color": "blue" } }),
    );
    let session = scenario.run(&engine(model()).await).await.unwrap();
    assert_eq!(session.revision, 2);
    assert!(session.is_completed());
}

#[tokio::test]
async fn a_turn_that_fails_is_named_with_its_number_and_label() {
    let turns = json!([turn("Hi", "Ask", &[], false), turn("green", "Ask", &[], false)]);
    let error = scenario(&turns, &json!({})).run(&engine(model()).await).await;
    let error = error.unwrap_err();
    assert!(matches!(error, ScenarioError::Turn { turn: 2, .. }), "{error}");
    assert!(error.to_string().starts_with("turn 2 (says green): "), "{error}");
}

#[tokio::test]
async fn each_difference_is_named() {
    for (turn, part) in [
        (turn("Hi", "Nowhere", &[], false), "the step is Ask, not Nowhere"),
        (turn("Hi", "Ask", &["colour"], false), "lacks \"colour\""),
        (turn("Hi", "Ask", &[], true), "completed is false"),
        (turn("bye", "Ask", &[], false), "completed is true"),
    ] {
        let error = scenario(&json!([turn]), &json!({})).run(&engine(model()).await).await;
        let error = error.unwrap_err();
        assert!(matches!(error, ScenarioError::Differs { turn: 1, .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn another_final_state_is_named_with_what_is_there() {
    for state in [
        json!({ "Ask": { "color": "red" } }),
        json!({ "Ask": {} }),
        json!({ "Nobody": { "a": 1 } }),
    ] {
        let turns = json!([turn("blue", "Ask", &[], false)]);
        let error = scenario(&turns, &state).run(&engine(model()).await).await;
        let error = error.unwrap_err();
        assert!(matches!(error, ScenarioError::State { .. }), "{error}");
        assert!(error.to_string().contains("found {"), "{error}");
    }
}

#[tokio::test]
async fn an_expected_state_may_be_partial() {
    let document = json!({ "a": 1, "b": { "c": [1, 2], "d": true, "e": {} }, "_prompt": "x" });
    let session: Session = serde_json::from_value(json!({
        "id": "s", "revision": 0, "version": 1, "runStatus": "running",
        "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:14:02.113Z",
        "flow": { "name": "TestFlow", "model": { "provider": "p", "name": "m" }, "currentStep": "Ask",
                  "steps": [{ "name": "Ask", "state": document }] },
    }))
    .unwrap();
    for (state, holds) in [
        (json!({ "a": 1 }), true),
        (json!({ "b": { "d": true } }), true),
        (json!({ "b": { "c": [1, 2], "e": {} }, "z": null }), true),
        (json!({ "a": 2 }), false),
        (json!({ "z": 1 }), false),
        (json!({ "a": null }), false),
        (json!({ "b": { "c": [1] } }), false),
        (json!({ "b": { "z": 1 } }), false),
        (json!({ "b": {} }), false),
        (json!({ "_prompt": "x" }), false),
        (json!({}), false),
    ] {
        let checked = scenario(&json!([]), &json!({ "Ask": state })).check_state(&session);
        assert_eq!(checked.is_ok(), holds, "{state}");
    }
}

#[test]
fn an_unknown_key_is_named_with_its_place() {
    let turn = json!({ "input": "Hi", "expectedActiveStep": "Ask", "completed": false });
    let with = |place: &str, key: &str, value: Value| {
        let mut document = json!({ "flowName": "F", "turns": [turn.clone(), turn.clone()] });
        document.pointer_mut(place).unwrap()[key] = value;
        serde_json::from_str::<Scenario>(&document.to_string())
    };
    for (place, key, value, told) in [
        (
            "/turns/1",
            "responseMustInclud",
            json!(["x"]),
            "turns[1].responseMustInclud: unknown key; did you mean `responseMustInclude`?",
        ),
        (
            "/turns/0",
            "expectActiveStep",
            json!("x"),
            "turns[0].expectActiveStep: unknown key; did you mean `expectedActiveStep`?",
        ),
        (
            "/turns/0",
            "complete",
            json!(true),
            "turns[0].complete: unknown key; did you mean `completed`?",
        ),
        ("", "finalstate", json!({}), "finalstate: unknown key; did you mean `finalState`?"),
        ("", "finalState", json!({ "Ask": 1 }), "finalState.Ask is not an object"),
        ("/turns/0", "completed", json!("no"), "turns[0].completed: invalid type"),
        (
            "/turns/1",
            "responseMustInclude",
            json!("x"),
            "turns[1].responseMustInclude: invalid type",
        ),
        ("", "turns", json!({}), "turns: not a list"),
        ("", "turns", json!([1]), "turns[0] is not an object"),
        ("", "turns", json!([{}]), "turns[0].input is missing"),
    ] {
        let error = with(place, key, value).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
    assert!(with("", "finalState", json!({ "Ask": { "responseMustInclud": 1 } })).is_ok());
}

#[tokio::test]
async fn a_scenario_without_turns_does_not_pass() {
    let error = scenario(&json!([]), &json!({})).run(&engine(model()).await).await;
    assert!(matches!(error, Err(ScenarioError::Empty)));
}

#[tokio::test]
async fn a_session_that_cannot_be_read_does_not_pass() {
    let store = Broken::new(Arc::new(MemoryStore::new()));
    store.fail(Some("load"));
    let flow = TestFlow::new(Steps::new().add(Ask));
    let engine = Engine::builder().flow(flow).model(model()).store(store);
    let engine = engine.build().await.unwrap();
    let turns = json!([turn("Hi", "Ask", &[], false)]);
    let error = scenario(&turns, &json!({})).run(&engine).await.unwrap_err();
    assert!(matches!(error, ScenarioError::Store(_)), "{error}");
}
