//! What a server says that quotes the key, in every protocol.

use crate::{genai::server::Answer, secrets::key};
use picoflow::genai::Protocol;
use serde_json::{Value, json};

/// A reply that quotes the key.
pub(super) fn body(protocol: Protocol) -> Value {
    let text = format!("Your key is {}.", key(protocol));
    match protocol {
        Protocol::Anthropic => json!({
            "type": "message", "model": "m", "stop_reason": "end_turn", "x-api-key": text,
            "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 1, "output_tokens": 1 },
        }),
        Protocol::Gemini => json!({
            "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }],
        }),
        Protocol::Ollama => json!({
            "model": "m", "message": { "role": "assistant", "content": text }, "done": true, "done_reason": "stop",
        }),
        Protocol::OpenAiResponses => json!({
            "id": "r", "model": "m", "status": "completed",
            "output": [{ "type": "message", "content": [{ "type": "output_text", "text": text }] }],
        }),
        _ => json!({
            "choices": [{ "index": 0, "message": { "content": text }, "finish_reason": "stop" }],
        }),
    }
}

/// The same as a stream, in bits of so many bytes.
pub(super) fn events(protocol: Protocol, size: usize) -> String {
    let text = format!("Your key is {}.", key(protocol));
    let bits = text.as_bytes().chunks(size).map(|bit| str::from_utf8(bit).unwrap());
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let line = |line: Value| format!("{line}\n");
    let data = |data: Value| format!("data: {data}\n\n");
    let mut events = String::new();
    match protocol {
        Protocol::Anthropic => {
            let block = json!({ "type": "text", "text": "" });
            events += &event("message_start", json!({ "type": "message_start", "message": {} }));
            // Which genai logs as it is.
            events += &event("hello", json!({ "type": "hello", "x-api-key": key(protocol) }));
            events += &event(
                "content_block_start",
                json!({ "type": "content_block_start", "index": 0, "content_block": block }),
            );
            for bit in bits {
                let delta = json!({ "type": "text_delta", "text": bit });
                events += &event(
                    "content_block_delta",
                    json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
                );
            }
            events += &event("content_block_stop", json!({ "type": "content_block_stop" }));
            let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
            events += &event("message_delta", delta);
            events += &event("message_stop", json!({ "type": "message_stop" }));
        }
        Protocol::Gemini => {
            for bit in bits {
                events +=
                    &data(json!({ "candidates": [{ "content": { "parts": [{ "text": bit }] } }] }));
            }
            events += &data(json!({
                "candidates": [{ "content": { "parts": [{ "text": "" }] }, "finishReason": "STOP" }],
            }));
        }
        Protocol::Ollama => {
            for bit in bits {
                let message = json!({ "role": "assistant", "content": bit });
                events += &line(json!({ "message": message, "done": false }));
            }
            let message = json!({ "role": "assistant", "content": "" });
            events += &line(json!({ "message": message, "done": true, "done_reason": "stop" }));
        }
        Protocol::OpenAiResponses => {
            for bit in bits {
                let delta = json!({ "type": "response.output_text.delta", "delta": bit });
                events += &event("response.output_text.delta", delta);
            }
            let done = json!({ "type": "response.completed", "response": body(protocol) });
            events += &event("response.completed", done);
        }
        _ => {
            for bit in bits {
                events +=
                    &data(json!({ "choices": [{ "index": 0, "delta": { "content": bit } }] }));
            }
            let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
            events += &data(end);
            events += "data: [DONE]\n\n";
        }
    }
    events
}

/// Answers without a reply in them.
pub(super) fn broken(protocol: Protocol) -> Vec<Answer> {
    let key = key(protocol);
    let quote =
        json!({ "message": format!("Wrong key: {key}."), "code": key, "status": key, "type": key });
    let error = Answer::json(&json!({ "error": quote })).header("x-key", key);
    vec![
        error.clone(),
        error.clone().status(401),
        error.clone().status(429),
        error.status(500),
        Answer::new(403, "text/plain", format!("authorization: Bearer {key}")),
        Answer::new(200, "application/json", format!("{{\"choices\": \"{key}")),
        Answer::new(200, "application/json", json!({ "key": key }).to_string()),
        Answer::new(200, "text/html", format!("<p>{key}</p>")),
        Answer::events(format!("event: {key}\ndata: {key}\n\n")),
        Answer::events(format!(
            "event: error\ndata: {}\n\n",
            json!({ "type": "error", "error": quote })
        )),
        Answer::events(format!("data: {key}")).cut(),
    ]
}
