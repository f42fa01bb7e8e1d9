//! The trip: the same flow and scenario on a scripted model and on a recorded conversation of a real one.

use picoflow::{
    model::ChatModel,
    prelude::*,
    testing::{Replay, Rule, ScriptedModel},
};
use picoflow_tests::{
    story,
    trip::{TripFlow, scenario, streamed},
};
use std::sync::Arc;

/// Qwen2.5-Coder-1.5B-Instruct, of four bits, on a local server. `recordings/README.md` says how to record it anew.
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/qwen2.5-coder-1.5b.jsonl");

async fn engine(model: impl ChatModel) -> Engine {
    Engine::builder().flow(TripFlow).model(model).strict().build().await.unwrap()
}

#[tokio::test]
async fn a_recorded_conversation_of_a_real_model_passes_by_run_and_by_stream() {
    let replay = Arc::new(Replay::open(RECORDING).unwrap());
    let ran = scenario().unwrap().run(&engine(Arc::clone(&replay)).await).await.unwrap();
    assert!(replay.rest().is_empty(), "{replay:?}");
    assert!(ran.warn.is_empty() && ran.error.is_empty(), "{ran:?}");
    assert_eq!(ran.tokens.total_tokens, 1_224, "{:?}", ran.tokens);

    let replay = Arc::new(Replay::open(RECORDING).unwrap());
    let (shown, session) =
        streamed(&engine(Arc::clone(&replay)).await, &scenario().unwrap()).await.unwrap();
    assert!(replay.rest().is_empty(), "{replay:?}");
    assert_eq!(story::essence(&session).unwrap(), story::essence(&ran).unwrap());
    assert_eq!(session.tokens, ran.tokens);
    // What ends the conversation is said by the flow, not by the model.
    assert_eq!(
        shown,
        [
            "The weather in Lisbon is sunny with a temperature of 21 degrees.",
            "Hello! How many people will travel?",
            "Hello! What is your name?",
            "",
        ]
    );
}

#[tokio::test]
async fn a_scripted_model_passes_the_same_scenario() {
    let model = || {
        ScriptedModel::new()
            .on_call(Rule::new().latest("weather"), [("get_weather", json!({ "city": "Lisbon" }))])
            .on(Rule::new().latest("Lisbon: sunny"), "Sunny in Lisbon, 21 degrees.")
            .on_call(
                Rule::new().latest("want to go"),
                [("choose_city", json!({ "city": "Lisbon" }))],
            )
            .on(Rule::new().step("GuestsStep").latest("Start"), "How many?")
            .on_call(Rule::new().latest("We are"), [("set_guests", json!({ "count": 4 }))])
            .on(Rule::new().step("NameStep").latest("Start"), "Your name?")
            .on_call(Rule::new().latest("My name"), [("book", json!({ "name": "Ada Lovelace" }))])
    };
    let ran = scenario().unwrap().run(&engine(model()).await).await.unwrap();
    let (_, session) = streamed(&engine(model()).await, &scenario().unwrap()).await.unwrap();
    assert_eq!(story::essence(&session).unwrap(), story::essence(&ran).unwrap());
}
