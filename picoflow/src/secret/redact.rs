//! Texts and JSON without a key.

use super::GAP;
use serde_json::{Map, Value};

/// Takes the key out of a text, and says whether it was there.
pub(crate) fn redact(text: &mut String, key: &str) -> bool {
    let is_there = text.contains(key);
    if is_there {
        *text = text.replace(key, GAP);
    }
    is_there
}

/// Takes the key out of all that is said in a value, and says whether it was there.
pub(crate) fn redact_all(value: &mut Value, key: &str) -> bool {
    match value {
        Value::String(text) => redact(text, key),
        Value::Array(list) => {
            list.iter_mut().fold(false, |found, value| redact_all(value, key) | found)
        }
        Value::Object(map) => {
            let found = map.values_mut().fold(false, |found, value| redact_all(value, key) | found);
            let is_name = map.keys().any(|name| name.contains(key));
            if is_name {
                let renamed = |(name, value): (String, Value)| (name.replace(key, GAP), value);
                *map = std::mem::take(map).into_iter().map(renamed).collect::<Map<_, _>>();
            }
            found | is_name
        }
        Value::Number(number) => {
            let is_there = number.to_string().contains(key);
            if is_there {
                *value = Value::String(GAP.to_owned());
            }
            is_there
        }
        Value::Null | Value::Bool(_) => false,
    }
}

/// How many bytes at the end of `text` are those that `key` begins with.
pub(crate) fn beginning(text: &str, key: &str) -> usize {
    let most = text.len().min(key.len().saturating_sub(1));
    let is_there = |count: &usize| key.get(..*count).is_some_and(|start| text.ends_with(start));
    (1..=most).rev().find(is_there).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_is_taken_out_of_texts_names_and_numbers() {
        let key = "1234567890123456";
        let mut value =
            json!({ "a": [1, { key: key }], "b": 1_234_567_890_123_456_u64, "c": null });
        assert!(redact_all(&mut value, key));
        assert_eq!(value, json!({ "a": [1, { "…": "…" }], "b": "…", "c": null }));
        assert!(!redact_all(&mut value, key));
    }
}
