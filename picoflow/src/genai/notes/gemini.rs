//! Google's `generateContent`, whose frames are whole bodies.

use super::{Notes, list, text};
use ::genai::chat::{CompletionTokensDetails, PromptTokensDetails, Usage};
use serde_json::Value;

pub(super) fn read(notes: &mut Notes, value: &Value) {
    notes.fail(value.get("error").unwrap_or(&Value::Null));
    let feedback = value.get("promptFeedback").and_then(|feedback| text(feedback, "blockReason"));
    if let Some(reason) = feedback {
        notes.blocked = Some(reason.to_owned());
    }
    if let Some(counts) = value.get("usageMetadata") {
        notes.usage = Some(usage(counts));
    }
    let Some(candidate) = list(value, "candidates").first() else {
        return;
    };
    for part in candidate.get("content").map_or(&[][..], |content| list(content, "parts")) {
        if part.get("thought").is_none_or(|thought| thought == false) {
            notes.text.push_str(text(part, "text").unwrap_or_default());
        }
    }
    if let Some(reason) = text(candidate, "finishReason") {
        notes.finish = Some(reason.to_owned());
        // A finish between two runs of code is none.
        let last = candidate.pointer("/content/parts").and_then(|parts| parts.as_array()?.last());
        notes.goes_on = reason == "STOP"
            && last.is_some_and(|part| {
                part.get("executableCode").is_some() || part.get("codeExecutionResult").is_some()
            });
    }
}

fn usage(counts: &Value) -> Usage {
    let count = |key: &str| {
        counts.get(key).and_then(Value::as_i64).and_then(|count| i32::try_from(count).ok())
    };
    let sum = |one: Option<i32>, other: Option<i32>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    };
    let thoughts = count("thoughtsTokenCount");
    Usage {
        prompt_tokens: sum(count("promptTokenCount"), count("toolUsePromptTokenCount")),
        prompt_tokens_details: Some(PromptTokensDetails {
            cached_tokens: count("cachedContentTokenCount"),
            ..PromptTokensDetails::default()
        }),
        completion_tokens: sum(count("candidatesTokenCount"), thoughts),
        completion_tokens_details: Some(CompletionTokensDetails {
            reasoning_tokens: thoughts,
            ..CompletionTokensDetails::default()
        }),
        total_tokens: count("totalTokenCount"),
    }
}
