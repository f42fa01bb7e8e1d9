//! aimock: plays the same in every protocol, Ollama's too.

use super::{
    control,
    cues::{Cue, Fault, Line, Simulator},
};
use picoflow::{BoxFuture, genai::Protocol};
use serde_json::{Value, json};

/// What it serves: the protocol, and the address before the endpoint's path.
pub(super) const SERVED: [(Protocol, &str); 5] = [
    (Protocol::OpenAiChat, "/v1"),
    (Protocol::OpenAiResponses, "/v1"),
    (Protocol::Anthropic, "/v1"),
    (Protocol::Gemini, "/v1beta"),
    (Protocol::Ollama, ""),
];

/// The one conversation with it.
pub(super) struct Aimock {
    pub(super) url: String,
    pub(super) protocol: Protocol,
    pub(super) streams: bool,
}

/// Whether it can break a conversation like this. It cuts streams but does not end them early, it refuses to be told half of the
/// arguments of a call, and its Ollama and responses of OpenAI know no refusal.
pub(super) fn can(fault: Fault, protocol: Protocol) -> bool {
    match fault {
        Fault::Truncated | Fault::HalfArguments => false,
        Fault::Refusal => !matches!(protocol, Protocol::OpenAiResponses | Protocol::Ollama),
        _ => true,
    }
}

impl Aimock {
    /// What is said in place of the line: once, twice, or for good.
    fn broken(&self, fault: Fault, line: &Line) -> Vec<Value> {
        let said = json!({ "match": { "sequenceIndex": 0 }, "response": response(line) });
        let failed = |status: u16, at: Value| {
            let error = json!({ "message": "No.", "type": "no" });
            let response = json!({ "error": error, "status": status });
            json!({ "match": at, "response": response })
        };
        let with = |name: &str, value: Value| {
            let mut said = said.clone();
            said[name] = value;
            vec![said]
        };
        let first = || json!({ "sequenceIndex": 0 });
        match fault {
            Fault::RateLimit => {
                let mut failed = failed(429, first());
                failed["response"]["retryAfter"] = json!(1);
                vec![failed]
            }
            Fault::Down => vec![failed(500, first()), failed(500, json!({ "sequenceIndex": 1 }))],
            Fault::Outage => vec![failed(500, json!({}))],
            Fault::BadRequest => vec![failed(400, json!({}))],
            Fault::Cut if self.streams => with("truncateAfterChunks", json!(1)),
            Fault::Cut => with("chaos", json!({ "disconnectRate": 1 })),
            Fault::Garbled => with("chaos", json!({ "malformedRate": 1 })),
            Fault::SlowStart if self.streams => with("streamingProfile", json!({ "ttft": 500 })),
            Fault::SlowStart => with("chaos", json!({ "latencyMs": 500 })),
            Fault::UnknownTool => {
                let mut said = said;
                said["response"]["toolCalls"][0]["name"] = json!("unknown_tool");
                vec![said]
            }
            Fault::Refusal => {
                let is_anthropic = self.protocol == Protocol::Anthropic;
                let mut said = said;
                said["response"]["finishReason"] =
                    json!(if is_anthropic { "refusal" } else { "content_filter" });
                vec![said]
            }
            Fault::Truncated | Fault::HalfArguments => panic!("aimock cannot do {fault:?}"),
        }
    }
}

fn response(line: &Line) -> Value {
    match line {
        Line::Says(text) => json!({ "content": text }),
        Line::Calls(tool, arguments) => {
            json!({ "toolCalls": [{ "name": tool, "arguments": arguments }] })
        }
    }
}

impl Simulator for Aimock {
    fn cue<'a>(&'a self, cue: &'a Cue) -> BoxFuture<'a, ()> {
        Box::pin(async {
            let broken = cue.fault.map(|fault| self.broken(fault, &cue.line));
            let mut fixtures = broken.unwrap_or_default();
            fixtures.push(json!({ "match": {}, "response": response(&cue.line) }));
            control(&self.url, "POST", "__aimock/reset", &json!({})).await;
            let fixtures = json!({ "fixtures": fixtures });
            let answer = control(&self.url, "POST", "__aimock/fixtures", &fixtures).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        })
    }
}
