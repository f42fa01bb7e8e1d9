//! llmock: breaks what it sends, and grades what the client makes of it.

use super::{
    control,
    cues::{Cue, Fault, Line, Simulator},
};
use picoflow::{BoxFuture, genai::Protocol};
use serde_json::{Value, json};

/// What it serves: the protocol, the address before the endpoint's path, and that path.
pub(super) const SERVED: [(Protocol, &str, &str); 5] = [
    (Protocol::OpenAiChat, "/v1", "/v1/chat/*"),
    (Protocol::OpenAiResponses, "/v1", "/v1/responses"),
    (Protocol::Anthropic, "/anthropic/v1", "/anthropic/*"),
    (Protocol::Gemini, "/gemini/v1beta", "/gemini/*"),
    (Protocol::OpenAiChat, "/groq/openai/v1", "/groq/*"),
];

/// One conversation with it. Others at other paths, or by stream where this one is not, do not disturb it.
pub(super) struct Llmock {
    pub(super) url: String,
    pub(super) path: &'static str,
    pub(super) streams: bool,
}

/// Whether it can break a conversation like this. It breaks no reply that is not streamed, and OpenAI's responses of it know no
/// refusal.
pub(super) fn can(fault: Fault, protocol: Protocol, streams: bool) -> bool {
    match fault {
        Fault::Cut | Fault::Truncated | Fault::Garbled | Fault::SlowStart => streams,
        Fault::Refusal => protocol != Protocol::OpenAiResponses,
        _ => true,
    }
}

impl Simulator for Llmock {
    fn cue<'a>(&'a self, cue: &'a Cue) -> BoxFuture<'a, ()> {
        Box::pin(async {
            let mut reply = match &cue.line {
                Line::Says(text) => json!({ "type": "reply", "text": text }),
                Line::Calls(tool, arguments) => {
                    let call = json!({ "name": tool, "arguments": arguments });
                    json!({ "type": "reply", "tool_calls": [call] })
                }
            };
            if cue.fault == Some(Fault::Refusal) {
                reply["finish_reason"] = json!("content_filter");
            }
            let mut behaviors: Vec<_> = cue.fault.and_then(broken).into_iter().collect();
            behaviors.push(reply.clone());
            // What is broken in its middle was said, and is said again.
            if matches!(cue.fault, Some(Fault::Cut | Fault::Truncated | Fault::Garbled)) {
                behaviors.push(reply);
            }
            for behavior in &mut behaviors {
                behavior["match"] = json!({ "path": self.path, "stream": self.streams });
            }
            let scenario = json!({ "behaviors": behaviors });
            let answer = control(&self.url, "POST", "_llmock/scenario", &scenario).await;
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        })
    }
}

fn broken(fault: Fault) -> Option<Value> {
    let stream = |kind: &str| json!({ "type": "stream_fault", "kind": kind, "after_chunks": 1 });
    Some(match fault {
        Fault::RateLimit => json!({ "type": "fail", "status": 429, "retry_after": 1 }),
        Fault::Down => json!({ "type": "fail", "status": 500, "times": 2 }),
        Fault::Outage => json!({ "type": "fail", "status": 500, "times": null }),
        Fault::BadRequest => json!({ "type": "fail", "status": 400 }),
        Fault::Cut => stream("disconnect"),
        Fault::Truncated => stream("truncate"),
        Fault::Garbled => stream("malformed"),
        Fault::SlowStart => json!({ "type": "slow_first_token", "seconds": 0.5 }),
        Fault::HalfArguments => json!({ "type": "tool_fault", "kind": "malformed_arguments" }),
        Fault::UnknownTool => json!({ "type": "tool_fault", "kind": "unknown_tool" }),
        Fault::Refusal => return None,
    })
}
