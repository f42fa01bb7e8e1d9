//! Anthropic's messages.

use super::{Notes, text};
use serde_json::Value;

pub(super) fn body(notes: &mut Notes, body: &Value) {
    if let Some(reason) = text(body, "stop_reason") {
        notes.finish = Some(reason.to_owned());
    }
    if text(body, "type") == Some("error") {
        notes.fail(body.get("error").unwrap_or(body));
    }
}

pub(super) fn frame(notes: &mut Notes, frame: &Value) {
    match text(frame, "type") {
        Some("message_delta") => {
            body(notes, frame.get("delta").unwrap_or(&Value::Null));
            let thought = frame.pointer("/usage/output_tokens_details/thinking_tokens");
            notes.reasoning_tokens = thought.and_then(Value::as_u64).unwrap_or(0);
        }
        Some("error") => notes.fail(frame.get("error").unwrap_or(frame)),
        _ => {}
    }
}
