//! The trip against two simulators of providers, which `scripts/simulators` starts: the same flow and scenario as on a scripted
//! model and on the recording of a real one, over HTTP, by whole replies and by streams, with whatever may break on the way.

mod aimock;
mod cues;
mod llmock;

use super::model_of;
use crate::{
    secrets::{Searched, search_error, search_shown},
    support::prepared,
};
use aimock::Aimock;
use cues::{Cued, Fault, Outcome, Simulator, cues, scripted};
use futures_util::future::join_all;
use llmock::Llmock;
use picoflow::{
    Engine, Host, TurnError,
    genai::GenaiModel,
    model::ChatModel,
    prelude::*,
    session::{MemoryStore, Session, SessionQuery, SessionStore},
    testing::{Scenario, ScenarioError, check_history},
};
use picoflow_tests::{
    story,
    trip::{PROVIDER, TripFlow, scenario, streamed},
};
use std::{sync::Arc, time::Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const SCRIPT: &str = "scripts/simulators";

/// One request to the control of a simulator.
async fn control(url: &str, method: &str, path: &str, body: &Value) -> String {
    let host = url.strip_prefix("http://").unwrap();
    let mut line = TcpStream::connect(host).await.unwrap();
    let body = body.to_string();
    let length = body.len();
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    line.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    line.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Waits that are shortened as much as may be. They double each time, while those that are shortened at random may be about the
/// same twice, which would spoil the grade.
struct Shortest;

impl Host for Shortest {
    fn random(&self) -> u64 {
        0
    }
}

async fn engine(model: impl ChatModel, store: impl SessionStore) -> Engine {
    let engine = Engine::builder().flow(TripFlow).model(model).store(store).host(Shortest);
    engine.strict().build().await.unwrap()
}

/// Plays the scenario. Only a turn may fail; whatever comes to something else does not pass.
async fn play(engine: &Engine, scenario: &Scenario, streams: bool) -> Result<Session, TurnError> {
    if streams {
        let played = streamed(engine, scenario).await;
        return played.map(|(_, session)| session).map_err(|error| *error.downcast().unwrap());
    }
    scenario.run(engine).await.map_err(|error| match error {
        ScenarioError::Turn { source, .. } => source,
        error => panic!("{error}"),
    })
}

/// What a session holds, but for the names of calls, and but for what was noted on the way.
fn contents(session: &Session) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("tool_call_id");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut contents = story::essence(session).unwrap();
    strip(&mut contents);
    contents.as_object_mut().unwrap().remove("warn");
    contents
}

/// Takes a call that could not be made, and the answer to it, out of the contents. Returns the answer.
fn without_told(contents: &mut Value) -> String {
    let memories = contents["flow"]["memory"].as_object_mut().unwrap();
    let mut told = Vec::new();
    for messages in memories.values_mut().map(|memory| memory["messages"].as_array_mut().unwrap()) {
        while let Some(at) = messages.iter().position(|one| one["status"] == "error") {
            told.push(messages.remove(at));
            messages.remove(at - 1);
        }
    }
    assert_eq!(told.len(), 1, "{told:?}");
    told.remove(0)["content"].as_str().unwrap().to_owned()
}

/// The sessions of a scripted model: of the whole scenario, and of its first two turns.
struct Scripted {
    whole: Value,
    begun: Value,
}

impl Scripted {
    async fn new() -> Self {
        let mut first = scenario().unwrap();
        first.turns.truncate(2);
        first.final_state.clear();
        let engine = async || engine(scripted(), MemoryStore::new()).await;
        let whole = play(&engine().await, &scenario().unwrap(), false).await.unwrap();
        let begun = play(&engine().await, &first, false).await.unwrap();
        Self { whole: contents(&whole), begun: contents(&begun) }
    }

    /// Plays the scenario with a fault, and checks what comes of it.
    async fn check(
        &self,
        model: Searched<GenaiModel>,
        simulator: impl Simulator,
        fault: Option<Fault>,
        streams: bool,
        case: &str,
    ) {
        let store = Arc::new(MemoryStore::new());
        let model = Arc::new(Cued::new(model, simulator, cues(fault)));
        let engine = engine(Arc::clone(&model), Searched(Arc::clone(&store))).await;
        let began = Instant::now();
        let played = play(&engine, &scenario().unwrap(), streams).await;
        search_shown("a conversation", &played);
        let outcome = fault.map_or(Outcome::Passes(0), Fault::outcome);
        match (outcome, played) {
            (Outcome::Passes(attempts), Ok(session)) => {
                assert_eq!(contents(&session), self.whole, "{case}");
                let failed = session.warn.iter().filter(|one| one.message.starts_with("attempt "));
                assert_eq!(failed.count(), attempts, "{case}: {:?}", session.warn);
            }
            (Outcome::Told(words), Ok(session)) => {
                let mut contents = contents(&session);
                let told = without_told(&mut contents);
                assert!(told.contains(words), "{case}: {told}");
                assert_eq!(contents, self.whole, "{case}");
            }
            (Outcome::Fails(is_wanted), Err(error)) => {
                search_error(&error);
                assert!(is_wanted(&error), "{case}: {error:?}");
                let [summary] = &*store.list(&SessionQuery::default()).await.unwrap() else {
                    panic!("{case}: not one session");
                };
                let session = store.load(&summary.id).await.unwrap().unwrap();
                check_history(&session).unwrap();
                assert_eq!(contents(&session), self.begun, "{case}");
                let [noted] = &*session.error else {
                    panic!("{case}: {:?}", session.error);
                };
                assert_eq!(noted.extra["code"], error.code(), "{case}");
                return;
            }
            (_, played) => panic!("{case}: {played:?}"),
        }
        assert!(model.rest().is_empty(), "{case}: {:?}", model.rest());
        if fault == Some(Fault::SlowStart) {
            assert!(began.elapsed().as_millis() >= 500, "{case}");
        }
    }
}

/// No fault, and each one.
fn faults() -> impl Iterator<Item = Option<Fault>> {
    [None].into_iter().chain(Fault::ALL.map(Some))
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(
    not(prepared = "simulators"),
    ignore = "needs the simulators: run scripts/simulators cargo test"
)]
async fn the_trip_comes_to_the_same_in_every_protocol_whatever_breaks() {
    let url = prepared("PICOFLOW_TEST_AIMOCK_URL", SCRIPT);
    let scripted = Scripted::new().await;
    for (protocol, path) in aimock::SERVED {
        for fault in faults() {
            if fault.is_some_and(|fault| !aimock::can(fault, protocol)) {
                continue;
            }
            for streams in [false, true] {
                let case = format!("{protocol:?}, {fault:?}, streams: {streams}");
                let model = model_of(PROVIDER, protocol, &format!("{url}{path}"));
                let simulator = Aimock { url: url.clone(), protocol, streams };
                scripted.check(model, simulator, fault, streams, &case).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(
    not(prepared = "simulators"),
    ignore = "needs the simulators: run scripts/simulators cargo test"
)]
async fn the_trip_comes_to_the_same_whatever_breaks_and_its_grade_is_clean() {
    let url = prepared("PICOFLOW_TEST_LLMOCK_URL", SCRIPT);
    let scripted = Scripted::new().await;
    for fault in faults() {
        control(&url, "POST", "_llmock/reset", &json!({})).await;
        let mut checks = Vec::new();
        for (protocol, base, path) in llmock::SERVED {
            for streams in [false, true] {
                if fault.is_some_and(|fault| !llmock::can(fault, protocol, streams)) {
                    continue;
                }
                let case = format!("{base}, {protocol:?}, {fault:?}, streams: {streams}");
                let model = model_of(PROVIDER, protocol, &format!("{url}{base}"));
                let simulator = Llmock { url: url.clone(), path, streams };
                let scripted = &scripted;
                checks.push(async move {
                    scripted.check(model, simulator, fault, streams, &case).await;
                });
            }
        }
        join_all(checks).await;
        let verdict = control(&url, "GET", "_llmock/verdict?format=text", &json!({})).await;
        assert!(verdict.contains("PASS") && !verdict.contains("WARN"), "{fault:?}: {verdict}");
    }
}
