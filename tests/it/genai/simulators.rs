//! A flow against two simulators of providers, which `scripts/simulators` starts: one plays the same conversation in every
//! protocol, the other breaks what it sends and grades what the client makes of it.

use super::{ask, collect};
use picoflow::{
    BoxFuture, Engine, TurnError,
    genai::{Endpoint, GenaiModel, Protocol, ProviderError},
    model::{ChatModel, ChatRequest, ModelError, ModelReply},
    prelude::*,
    testing::check_history,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// What `scripts/simulators` says of something that it prepared, if it runs.
pub(super) fn prepared(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        let why = format!("{variable} is not set: run `scripts/simulators cargo test`");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "not prepared: {why}");
        println!("skipped: {why}");
    }
    value
}

/// Asks by streams, as an engine does that streams.
struct Streaming(GenaiModel);

impl ChatModel for Streaming {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async { collect(self.0.stream(request)).await.1 })
    }
}

struct WeatherStep;

#[tools]
impl Step for WeatherStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Tell the weather.".into()
    }

    /// Look up the weather
    #[tool(define)]
    fn get_weather(&self, city: String) -> ToolResponse {
        stay_with(format!("{city}: sunny"))
    }
}

pub(super) struct WeatherFlow(pub(super) &'static str);

#[tools]
impl Flow for WeatherFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new(self.0, "m")
    }
    fn steps(&self) -> Steps {
        Steps::new().add(WeatherStep)
    }
}

fn model(provider: &str, protocol: Protocol, base: &str) -> GenaiModel {
    let endpoint = Endpoint::new(protocol, base).key("sk-simulated");
    GenaiModel::builder().endpoint(provider, endpoint).build().unwrap()
}

async fn engine(provider: &'static str, protocol: Protocol, base: &str, streams: bool) -> Engine {
    let model = model(provider, protocol, base);
    let engine = Engine::builder().flow(WeatherFlow(provider));
    let engine = if streams { engine.model(Streaming(model)) } else { engine.model(model) };
    engine.build().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_conversation_is_held_in_every_protocol() {
    let Some(url) = prepared("PICOFLOW_TEST_AIMOCK_URL") else {
        return;
    };
    for (provider, protocol, path) in [
        ("openai", Protocol::OpenAiChat, "/v1"),
        ("openai-responses", Protocol::OpenAiResponses, "/v1"),
        ("anthropic", Protocol::Anthropic, "/v1"),
        ("gemini", Protocol::Gemini, "/v1beta"),
        ("ollama", Protocol::Ollama, ""),
    ] {
        let base = format!("{url}{path}");
        for streams in [false, true] {
            let engine = engine(provider, protocol, &base, streams).await;
            let turn = Turn::new("WeatherFlow").message("weather two cities");
            let reply =
                engine.run(turn).await.unwrap_or_else(|error| panic!("{provider}: {error:?}"));
            assert_eq!(reply.text, "Paris 20C, Rome 25C.", "{provider}");
            let session = engine.session(&reply.session).await.unwrap().unwrap();
            check_history(&session).unwrap();
            let answers: Vec<_> = session
                .flow
                .memory
                .values()
                .flat_map(|memory| {
                    memory.messages.iter().filter(|one| !one.is_ai()).map(|one| one.content.clone())
                })
                .filter(|text| text.ends_with("sunny"))
                .collect();
            assert_eq!(answers, ["Paris: sunny", "Rome: sunny"], "{provider}");
        }
        let model = model(provider, protocol, &base);
        let said = |text: &str| ask(provider, "m", &[json!({ "type": "human", "content": text })]);
        for (text, status) in [("rate limit me", 429), ("break", 500)] {
            let whole = model.generate(said(text)).await.unwrap_err();
            let streamed = collect(model.stream(said(text))).await.1.unwrap_err();
            for error in [whole, streamed] {
                assert!(error.is_transient(), "{provider}: {error}");
                let source = std::error::Error::source(&error).unwrap().downcast_ref();
                assert!(
                    matches!(source, Some(ProviderError::Status { status: heard, .. }) if *heard == status),
                    "{provider}: {error:?}"
                );
            }
        }
        for reply in
            [model.generate(said("think")).await, collect(model.stream(said("think"))).await.1]
        {
            assert_eq!(reply.unwrap().text, "42", "{provider}");
        }
        if matches!(protocol, Protocol::OpenAiChat | Protocol::OpenAiResponses) {
            for reply in [
                model.generate(said("bad args")).await,
                collect(model.stream(said("bad args"))).await.1,
            ] {
                let call = reply.unwrap().tool_calls.remove(0);
                assert_eq!(call.arguments(), "{\"city\": \"Par", "{provider}");
            }
        }
    }
}

/// One request to the control of the simulator.
async fn control(url: &str, method: &str, path: &str, body: &Value) -> String {
    let host = url.strip_prefix("http://").unwrap();
    let mut line = TcpStream::connect(host).await.unwrap();
    let body = body.to_string();
    let length = body.len();
    let request = format!(
        "{method} /_llmock/{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    line.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    line.read_to_string(&mut answer).await.unwrap();
    answer
}

/// What is broken, and whether the conversation gets over it.
fn faults() -> Vec<(Value, bool)> {
    let stream = |kind: &str| json!({ "type": "stream_fault", "kind": kind, "after_chunks": 1 });
    vec![
        (json!([]), true),
        (json!([{ "type": "fail", "status": 429, "retry_after": 1, "times": 1 }]), true),
        (json!([{ "type": "fail", "status": 500, "times": 2 }]), true),
        (json!([{ "type": "fail", "status": 503, "times": 1 }]), true),
        (json!([{ "type": "fail", "status": 400, "times": 1 }]), false),
        (json!([{ "type": "tool_fault", "kind": "malformed_arguments" }]), true),
        (json!([{ "type": "tool_fault", "kind": "unknown_tool" }]), true),
        (json!([{ "type": "slow_first_token", "seconds": 0.5 }]), true),
        (json!([{ "type": "delay", "seconds": 0.5 }]), true),
        (json!([stream("disconnect")]), true),
        (json!([stream("truncate")]), true),
        (json!([stream("malformed")]), true),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_breaks_the_grade_is_clean() {
    let Some(url) = prepared("PICOFLOW_TEST_LLMOCK_URL") else {
        return;
    };
    for (provider, protocol, path) in [
        ("openai", Protocol::OpenAiChat, "/v1"),
        ("openai-responses", Protocol::OpenAiResponses, "/v1"),
        ("anthropic", Protocol::Anthropic, "/anthropic/v1"),
        ("gemini", Protocol::Gemini, "/gemini/v1beta"),
        ("groq", Protocol::OpenAiChat, "/groq/openai/v1"),
    ] {
        for streams in [false, true] {
            for (behaviors, gets_over) in faults() {
                let is_of_streams = behaviors.to_string().contains("stream_fault");
                if is_of_streams && !streams {
                    continue;
                }
                let told = format!("{provider}, streams: {streams}, {behaviors}");
                control(&url, "POST", "reset", &json!({})).await;
                let set = json!({ "behaviors": behaviors });
                let answer = control(&url, "POST", "scenario", &set).await;
                assert!(answer.starts_with("HTTP/1.1 201") || behaviors == json!([]), "{answer}");
                let engine = engine(provider, protocol, &format!("{url}{path}"), streams).await;
                let ran = engine.run(Turn::new("WeatherFlow").message("Weather?")).await;
                match ran {
                    Ok(reply) => {
                        assert!(gets_over && !reply.text.is_empty(), "{told}: {reply:?}");
                        let session = engine.session(&reply.session).await.unwrap().unwrap();
                        check_history(&session).unwrap();
                    }
                    Err(error) => {
                        assert!(!gets_over, "{told}: {error:?}");
                        assert!(matches!(error, TurnError::Model { .. }), "{told}: {error:?}");
                    }
                }
                let verdict = control(&url, "GET", "verdict?format=text", &json!({})).await;
                assert!(verdict.contains("PASS") && !verdict.contains("WARN"), "{told}: {verdict}");
            }
        }
    }
}
