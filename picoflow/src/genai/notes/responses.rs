//! OpenAI's responses.

use super::{Call, Notes, list, text};
use ::genai::chat::{CompletionTokensDetails, PromptTokensDetails, Usage};
use serde_json::Value;

pub(super) fn frame(notes: &mut Notes, frame: &Value) {
    match text(frame, "type") {
        Some("response.refusal.delta") => {
            notes.refusal.push_str(text(frame, "delta").unwrap_or_default());
        }
        Some("response.output_item.done") => {
            if let Some(done) = frame.get("item") {
                item(notes, done);
            }
        }
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            if let Some(response) = frame.get("response") {
                end(notes, response);
            }
        }
        Some("error") => notes.fail(frame.get("error").filter(|e| e.is_object()).unwrap_or(frame)),
        _ => {}
    }
}

pub(super) fn body(notes: &mut Notes, body: &Value) {
    end(notes, body);
    for item in list(body, "output") {
        for part in list(item, "content") {
            if text(part, "type") == Some("output_text") {
                notes.text.push_str(text(part, "text").unwrap_or_default());
            }
        }
    }
}

/// The whole response, which some servers end a stream with and others leave empty.
fn end(notes: &mut Notes, response: &Value) {
    notes.fail(response.get("error").unwrap_or(&Value::Null));
    let status = text(response, "status");
    let details = response.get("incomplete_details").and_then(|details| text(details, "reason"));
    if let Some(finish) = details.filter(|_| status == Some("incomplete")).or(status) {
        notes.finish = Some(finish.to_owned());
    }
    if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
        notes.usage = Some(self::usage(usage));
    }
    let mut whole = Notes::default();
    for done in list(response, "output") {
        item(&mut whole, done);
    }
    if notes.calls.is_empty() {
        notes.calls = whole.calls;
    }
    if notes.blocks.is_empty() {
        notes.blocks = whole.blocks;
    }
    if notes.refusal.is_empty() {
        notes.refusal = whole.refusal;
    }
}

fn item(notes: &mut Notes, item: &Value) {
    let field = |key| text(item, key).unwrap_or_default().to_owned();
    match text(item, "type") {
        Some("function_call") => notes.calls.push(Call {
            index: None,
            id: field("call_id"),
            name: field("name"),
            arguments: field("arguments"),
        }),
        Some("reasoning") => {
            notes
                .blocks
                .extend(item.get("encrypted_content").filter(|text| text.is_string()).cloned());
        }
        Some("message") if notes.refusal.is_empty() => {
            let parts = list(item, "content").iter();
            notes.refusal = parts.filter_map(|part| text(part, "refusal")).collect();
        }
        _ => {}
    }
}

fn usage(usage: &Value) -> Usage {
    let count = |pointer: &str| {
        usage.pointer(pointer).and_then(Value::as_i64).and_then(|count| i32::try_from(count).ok())
    };
    Usage {
        prompt_tokens: count("/input_tokens"),
        prompt_tokens_details: Some(PromptTokensDetails {
            cache_creation_tokens: count("/input_tokens_details/cache_write_tokens"),
            cached_tokens: count("/input_tokens_details/cached_tokens"),
            ..PromptTokensDetails::default()
        }),
        completion_tokens: count("/output_tokens"),
        completion_tokens_details: Some(CompletionTokensDetails {
            reasoning_tokens: count("/output_tokens_details/reasoning_tokens"),
            ..CompletionTokensDetails::default()
        }),
        total_tokens: count("/total_tokens"),
    }
}
