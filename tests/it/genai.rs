//! The adapter for real providers, on the replies that they sent.

mod conversations;
mod dialects;
mod echoes;
mod expected;
mod failures;
mod many_schemas;
mod named;
mod recordings;
mod replies;
mod requests;
pub(crate) mod server;
mod simulators;

use crate::secrets::{Searched, key, search_shown};
use futures_util::{Stream, StreamExt};
use picoflow::{
    ModelRef, ToolDefinition,
    genai::{Endpoint, GenaiModel, Protocol},
    model::{ChatRequest, ModelError, ModelEvent, ModelReply},
    session::Message,
};
use serde::Deserialize;
use serde_json::{Value, json};
use server::Server;
use std::{fs, sync::Arc};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings");

/// A row of the manifest.
#[derive(Deserialize)]
struct Recording {
    file: String,
    provider: String,
    wire: String,
    transport: String,
    status: u16,
    content_type: String,
    tools_offered: Vec<String>,
}

impl Recording {
    fn body(&self) -> Vec<u8> {
        fs::read(format!("{FOLDER}/{}", self.file)).unwrap()
    }

    fn protocol(&self) -> Protocol {
        protocol(&self.wire)
    }
}

fn manifest() -> Vec<Recording> {
    serde_json::from_str(&fs::read_to_string(format!("{FOLDER}/manifest.json")).unwrap()).unwrap()
}

fn protocol(wire: &str) -> Protocol {
    match wire {
        "anthropic-messages" => Protocol::Anthropic,
        "gemini" => Protocol::Gemini,
        "ollama" => Protocol::Ollama,
        "openai-chat" => Protocol::OpenAiChat,
        "openai-responses" => Protocol::OpenAiResponses,
        other => panic!("{other}"),
    }
}

fn model(recording: &Recording, server: &Server) -> Searched<GenaiModel> {
    model_at(&recording.provider, recording.protocol(), server)
}

fn model_at(provider: &str, protocol: Protocol, server: &Server) -> Searched<GenaiModel> {
    let key = key(protocol);
    // Ollama takes no key: there it stands in the address, where a gateway may want it.
    let base = match protocol {
        Protocol::Ollama => format!("{}{key}/", server.url()),
        _ => server.url(),
    };
    model_of(provider, protocol, &base)
}

/// The model of the server at `base`, which is given the protocol's key.
fn model_of(provider: &str, protocol: Protocol, base: &str) -> Searched<GenaiModel> {
    let endpoint = Endpoint::new(protocol, base).key(key(protocol));
    let model = GenaiModel::builder().endpoint(provider, endpoint).build().unwrap();
    // Ollama's address is shown, with what stands in it.
    if protocol != Protocol::Ollama {
        search_shown("a model", &model);
    }
    Searched(model)
}

/// A short question with the tools that the recording's request offered.
fn request(recording: &Recording) -> ChatRequest {
    let tools = recording.tools_offered.iter().map(|name| {
        Arc::new(ToolDefinition::new(
            name,
            "A tool.",
            json!({ "type": "object", "properties": {} }),
        ))
    });
    let mut request = ask(&recording.provider, "m", &[json!({ "type": "human", "content": "Hi" })]);
    request.tools = tools.collect();
    request
}

/// A request with these messages.
fn ask(provider: &str, model: &str, messages: &[Value]) -> ChatRequest {
    let mut request = ChatRequest::new(ModelRef::new(provider, model));
    request.messages = Arc::new(messages.iter().map(message).collect());
    request
}

fn message(fields: &Value) -> Arc<Message> {
    let mut document =
        json!({ "id": "S|1", "content": "", "timestamp": "2026-02-11T09:14:02.113Z" });
    for (name, value) in fields.as_object().unwrap() {
        document[name] = value.clone();
    }
    Arc::new(serde_json::from_value(document).unwrap())
}

/// What was shown, and what the stream came to.
async fn collect(
    events: impl Stream<Item = Result<ModelEvent, ModelError>>,
) -> (String, Result<ModelReply, ModelError>) {
    let mut events = std::pin::pin!(events);
    let mut shown = String::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(ModelEvent::Text(text)) => shown.push_str(&text),
            Ok(ModelEvent::Reply(reply)) => {
                assert!(events.next().await.is_none(), "something follows the reply");
                return (shown, Ok(reply));
            }
            Ok(_) => {}
            Err(error) => {
                assert!(events.next().await.is_none(), "something follows an error");
                return (shown, Err(error));
            }
        }
    }
    panic!("the stream ended without a reply and without an error");
}
