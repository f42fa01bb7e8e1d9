//! The example `basic_flow`, played through the API.

use crate::{
    flow::BasicFlow,
    offline::OfflineModel,
    support::{Talk, exposed},
};
use picoflow::{
    SqliteStore,
    model::ChatModel,
    prelude::*,
    session::{MemoryStore, SessionStore},
    testing::{Rule, Scenario, ScriptedModel},
};
use std::sync::Arc;
use tempfile::TempDir;

fn scenario() -> Scenario {
    serde_json::from_str(include_str!("../scenarios/basic-flow.json")).unwrap()
}

async fn engine(model: impl ChatModel, store: impl SessionStore) -> Engine {
    let builder = Engine::builder().flow(BasicFlow::offline()).model(model).store(store);
    builder.strict().build().await.unwrap()
}

async fn sqlite(directory: &TempDir) -> SqliteStore {
    let path = directory.path().join("sessions.sqlite");
    SqliteStore::open(path).await.unwrap()
}

/// Plays the scenario turn by turn with all checks of `Talk`, on a new engine for each turn if `restarts`.
async fn play<M: ChatModel>(
    model: impl Fn() -> M,
    store: Arc<dyn SessionStore>,
    restarts: impl Fn(usize) -> bool,
) {
    store.prepare().await.unwrap();
    let scenario = scenario();
    let mut talk = Talk::on(BasicFlow::offline(), model(), Arc::clone(&store)).await;
    let mut session: Option<String> = None;
    for (number, expected) in scenario.turns.iter().enumerate() {
        if restarts(number) {
            talk = Talk::on(BasicFlow::offline(), model(), Arc::clone(&store)).await;
        }
        let mut turn = talk.opening().message(&expected.input);
        if let Some(id) = &session {
            turn = turn.session(id);
        }
        let reply = talk.run(turn).await.unwrap();
        let label = &expected.label;
        assert_eq!(reply.step, expected.expected_active_step, "{label}");
        assert_eq!(reply.completed, expected.completed, "{label}");
        let text = reply.text.to_lowercase();
        for part in &expected.response_must_include {
            assert!(text.contains(&part.to_lowercase()), "{label}: {text}");
        }
        session = Some(reply.session);
    }
    let session = talk.session().await;
    scenario.check_state(&session).unwrap();
    assert!(session.is_completed());
}

#[tokio::test]
async fn the_conversation_runs_on_the_examples_model_in_memory_and_on_sqlite() {
    let directory = TempDir::new().unwrap();
    play(|| OfflineModel, Arc::new(MemoryStore::new()), |_| false).await;
    play(|| OfflineModel, Arc::new(sqlite(&directory).await), |_| false).await;
}

#[tokio::test]
async fn the_scenario_itself_passes_on_a_strict_engine() {
    let directory = TempDir::new().unwrap();
    let in_memory = engine(OfflineModel, MemoryStore::new()).await;
    let session = scenario().run(&in_memory).await.unwrap();
    assert_eq!(session.flow.current_step, "TerminateSessionStep");
    let on_file = engine(OfflineModel, sqlite(&directory).await).await;
    scenario().run(&on_file).await.unwrap();
}

/// The conversation as a script.
fn script() -> ScriptedModel {
    let on = |step: &'static str, latest: &'static str| Rule::new().step(step).latest(latest);
    let city = |name: &str| ("get_weather", json!({ "cityName": name }));
    let favorites = json!({ "favoriteColor": "blue", "favoriteMovie": "Star Wars", "favoriteSeason": "summer" });
    let dob = json!({ "year": 2000, "month": 1, "day": 1 });
    let address = json!({ "address": "123 K St. Portland, OR 97006" });
    ScriptedModel::new()
        .on(on("WeatherStep", "Hi"), "LA or NYC?")
        .on_call(on("WeatherStep", "PDX,PHX"), [city("PDX"), city("PHX")])
        .on(on("WeatherStep", "not supported"), "I support LA and NYC.")
        .on_call(on("WeatherStep", "LA,NYC"), [city("LA"), city("NYC")])
        .on(on("FavoritesStep", "blue"), favorites.to_string())
        .on(Rule::new().step("FavoritesStep"), "Which color?")
        .on_call(
            on("NameStep", "John Doe").times(1),
            [("user_name", json!({ "name": "John Doe" }))],
        )
        .on(on("NameStep", "Cannot accept"), "Not John Doe, a different name.")
        .on_call(on("NameStep", "John Wick"), [("user_name", json!({ "name": "John Wick" }))])
        .on(Rule::new().step("NameStep"), "What is your name?")
        .on(
            Rule::new().step("InContextStep").prompt("John Wick"),
            r#"{"title":"Wick","plot":"A dog."}"#,
        )
        .on_call(Rule::new().step("ConcurStep1"), [("complete_concurrent_step1", json!({}))])
        .on(Rule::new().step("ConcurStep2"), "Two.")
        .on(Rule::new().step("ConcurStep3"), "Three.")
        .on(Rule::new().step("ConcurStep4"), "Four.")
        .on_call(Rule::new().step("DOBStep").prompt("John Wick").latest("1/1/2000"), [("dob", dob)])
        .on(Rule::new().step("DOBStep"), "Date of birth?")
        .on_call(on("AddressStep", "123 K St."), [("address", address)])
        .on(Rule::new().step("AddressStep"), "Your address?")
        .on(Rule::new().step("TerminateSessionStep"), "The address is complete. Good bye.")
}

#[tokio::test]
async fn the_conversation_runs_on_a_script_in_memory_and_on_sqlite() {
    let directory = TempDir::new().unwrap();
    play(script, Arc::new(MemoryStore::new()), |_| false).await;
    play(script, Arc::new(sqlite(&directory).await), |_| false).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn the_conversation_runs_on_postgres_also_when_the_engine_ends_between_turns() {
    let database = crate::support::Database::new().await;
    play(|| OfflineModel, Arc::new(database.store().await), |_| false).await;
    let database = crate::support::Database::new().await;
    play(|| OfflineModel, Arc::new(database.store().await), |number| number > 0).await;
}

#[tokio::test]
async fn the_engine_may_end_between_any_two_turns() {
    let turns = scenario().turns.len();
    for restart in 1..turns {
        let directory = TempDir::new().unwrap();
        let store = Arc::new(sqlite(&directory).await);
        play(|| OfflineModel, store, |number| number == restart).await;
    }
    let directory = TempDir::new().unwrap();
    let store = Arc::new(sqlite(&directory).await);
    play(|| OfflineModel, store, |number| number > 0).await;
}

#[tokio::test]
async fn the_examples_steps_expose_their_tool_and_the_way_out() {
    let engine = engine(OfflineModel, MemoryStore::new()).await;
    for (step, tool) in [
        ("AddressStep", "address"),
        ("DOBStep", "dob"),
        ("WeatherStep", "get_weather"),
        ("NameStep", "user_name"),
    ] {
        assert_eq!(exposed(&engine, step), [tool, "terminate_session"]);
    }
}

#[tokio::test]
async fn the_president_enters_elsewhere_and_goes_on_to_the_weather() {
    let mut talk = Talk::of(BasicFlow::offline(), OfflineModel).await;
    let open = talk.opening().config(json!({ "isPresident": true }));
    let reply = talk.run(open).await.unwrap();
    assert_eq!(reply.step, "PresidentStep");
    assert!(reply.text.contains("President"), "{}", reply.text);
    let reply = talk.say("yes").await;
    assert_eq!(reply.step, "WeatherStep");
    assert!(reply.text.contains("LA"), "{}", reply.text);
}

#[tokio::test]
async fn the_user_may_leave_at_any_step() {
    for inputs in [&["Hi"][..], &["Hi", "LA,NYC", "blue, Up, summer"]] {
        let mut talk = Talk::of(BasicFlow::offline(), OfflineModel).await;
        for input in inputs {
            talk.say(input).await;
        }
        let reply = talk.say("bye").await;
        assert!(reply.completed);
        assert_eq!(reply.step, "TerminateSessionStep");
    }
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn a_date_that_is_none_is_asked_again() {
    let mut talk = Talk::of(BasicFlow::offline(), OfflineModel).await;
    for input in ["Hi", "LA,NYC", "blue, Up, summer", "John Wick"] {
        talk.say(input).await;
    }
    for date in ["2/30/2001", "13/1/2001", "1/1/1500"] {
        let reply = talk.say(date).await;
        assert_eq!(reply.step, "DOBStep", "{date}");
        assert_eq!(talk.state("DOBStep").await, Value::Null, "{date}");
    }
    assert_eq!(talk.say("2/29/2000").await.step, "AddressStep");
}
