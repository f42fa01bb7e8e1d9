//! Ollama's own protocol, whose lines are whole bodies.

use super::{Notes, text};
use serde_json::Value;

pub(super) fn read(notes: &mut Notes, value: &Value) {
    notes.fail(value.get("error").unwrap_or(&Value::Null));
    if value.get("done").and_then(Value::as_bool) == Some(true) {
        // Older servers do not say why.
        notes.finish = Some(text(value, "done_reason").unwrap_or("stop").to_owned());
    }
}
