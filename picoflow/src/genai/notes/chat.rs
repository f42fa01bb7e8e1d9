//! OpenAI's chat completions.

use super::{Call, Notes, list, text};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn body(notes: &mut Notes, body: &Value) {
    read(notes, body, "message");
}

pub(super) fn frame(notes: &mut Notes, frame: &Value) {
    read(notes, frame, "delta");
}

fn read(notes: &mut Notes, value: &Value, part: &str) {
    notes.fail(value.get("error").unwrap_or(&Value::Null));
    let choices = list(value, "choices");
    let is_first = |choice: &&Value| choice.get("index").is_none_or(|index| index == 0);
    // genai reads whichever stands first.
    notes.is_alternative = choices.first().is_some_and(|choice| !is_first(&choice));
    // DeepSeek and others report `null` until the end, and Groq the same numbers twice.
    if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
        notes.usage = ::genai::chat::Usage::deserialize(usage).ok();
    }
    let Some(choice) = choices.iter().find(is_first) else {
        return;
    };
    notes.fail(choice.get("error").unwrap_or(&Value::Null));
    if let Some(finish) = finish(choice) {
        notes.finish = Some(finish.to_owned());
    }
    let Some(part) = choice.get(part) else {
        return;
    };
    notes.refusal.push_str(text(part, "refusal").unwrap_or_default());
    notes.text.push_str(text(part, "content").unwrap_or_default());
    for (place, call) in list(part, "tool_calls").iter().enumerate() {
        add(&mut notes.calls, call, place);
    }
    for detail in list(part, "reasoning_details") {
        extend(&mut notes.blocks, detail);
    }
}

/// Why the choice ended. A router's own word for it hides that the model behind it ran out of tokens.
fn finish(choice: &Value) -> Option<&str> {
    let native = text(choice, "native_finish_reason");
    let cut = native.filter(|word| super::super::ending::is_truncation(word));
    cut.or_else(|| text(choice, "finish_reason"))
}

/// Adds a call, or more of one. Whole calls have no index.
fn add(calls: &mut Vec<Call>, piece: &Value, place: usize) {
    let index = piece.get("index").and_then(Value::as_u64);
    let id = text(piece, "id");
    let function = piece.get("function").unwrap_or(&Value::Null);
    let name = text(function, "name");
    let known = match (index, id) {
        // Some servers count wrong: another id with another name is another call.
        (Some(index), _) => {
            calls.iter().rposition(|call| call.index == Some(index)).filter(|&at| {
                let is_same = |call: &Call| id.is_none_or(|id| call.id.is_empty() || call.id == id);
                name.is_none() || calls.get(at).is_some_and(is_same)
            })
        }
        (None, Some(_)) => None,
        (None, None) => calls.len().checked_sub(1).filter(|&last| last >= place),
    };
    let at = known.unwrap_or_else(|| {
        calls.push(Call { index, ..Call::default() });
        calls.len() - 1
    });
    let Some(call) = calls.get_mut(at) else {
        return;
    };
    if call.id.is_empty() {
        call.id.push_str(id.unwrap_or_default());
    }
    if call.name.is_empty() {
        call.name.push_str(name.unwrap_or_default());
    }
    match function.get("arguments") {
        Some(Value::String(more)) => call.arguments.push_str(more),
        Some(Value::Null) | None => {}
        // Some servers send them as an object.
        Some(whole) => call.arguments = whole.to_string(),
    }
}

/// Adds a block of reasoning, or more of one.
fn extend(blocks: &mut Vec<Value>, piece: &Value) {
    let same = |block: &&mut Value| {
        let index = piece.get("index").filter(|index| !index.is_null());
        index.is_some() && block.get("index") == index && block.get("type") == piece.get("type")
    };
    let (Some(Value::Object(block)), Some(piece)) =
        (blocks.iter_mut().rev().find(same), piece.as_object())
    else {
        blocks.push(piece.clone());
        return;
    };
    for (key, more) in piece {
        let is_text = ["text", "summary", "data", "signature"].contains(&&**key);
        match (block.get(key).and_then(Value::as_str), more.as_str()) {
            (Some(text), Some(more)) if is_text => {
                let text = json!(format!("{text}{more}"));
                block.insert(key.clone(), text);
            }
            _ if more.is_null() => {}
            _ => {
                block.insert(key.clone(), more.clone());
            }
        }
    }
}
