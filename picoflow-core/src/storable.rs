//! What JSON may be stored, so that it can be read again: readers have a limit of nesting (`serde_json`'s is 128 levels,
//! the document's own included), and not every text that looks like JSON has a value.

mod write;

pub(crate) use write::{to_string, to_value};

use crate::run::PROMPT_KEY;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};
use std::fmt;

/// Levels of objects and arrays that stored JSON may have.
pub(crate) const MOST_NESTING: usize = 100;

/// Whether `value` nests deeper than may be stored.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    is_deeper_than(value, MOST_NESTING)
}

/// Whether `value` nests deeper than may be stored as a field of an object.
pub(crate) fn is_too_deep_for_a_field(value: &Value) -> bool {
    is_deeper_than(value, MOST_NESTING - 1)
}

/// `value` as JSON that may be stored; else what `method` was given.
pub(crate) fn json(value: &impl Serialize, method: &str) -> Result<Value, String> {
    match to_value(value) {
        Ok(value) if is_too_deep(&value) => {
            Err(format!("`{method}` was given JSON of more than {MOST_NESTING} levels"))
        }
        Ok(value) => Ok(value),
        Err(error) => Err(format!("`{method}` was given something that is no JSON: {error}")),
    }
}

/// `state` as an object that may be stored as, or in, a step's state.
pub(crate) fn object(state: &impl Serialize, method: &str) -> Result<Map<String, Value>, String> {
    match json(state, method)? {
        Value::Object(map) if map.contains_key(PROMPT_KEY) => Err(reserved(method, PROMPT_KEY)),
        Value::Object(map) => Ok(map),
        other => Err(format!("`{method}` takes an object, not {other}")),
    }
}

/// What is wrong with the key of a state that holds something else.
pub(crate) fn reserved(method: &str, key: &str) -> String {
    format!(
        "`{method}` was given the key `{key}`, where the stored session keeps the prompt of a transition: take another key, or set the prompt by `with_prompt`"
    )
}

fn is_deeper_than(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else {
        return matches!(value, Value::Object(_) | Value::Array(_));
    };
    match value {
        Value::Object(map) => map.values().any(|value| is_deeper_than(value, below)),
        Value::Array(items) => items.iter().any(|value| is_deeper_than(value, below)),
        _ => false,
    }
}

/// Whether `text` is JSON that can be stored as it is: it nests no deeper than that, its numbers are in range, and its
/// strings are Unicode. Nothing is built for it.
pub(crate) fn is_storable(text: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(text);
    Levels(MOST_NESTING).deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// Reads a value that may nest so many levels.
struct Levels(usize);

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Levels {
    fn below<E: Error>(&self) -> Result<Self, E> {
        let below = self.0.checked_sub(1);
        below.map(Self).ok_or_else(|| E::custom("too deep"))
    }
}

impl<'de> Visitor<'de> for Levels {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let below = self.below::<A::Error>()?.0;
        while items.next_element_seed(Self(below))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let below = self.below::<A::Error>()?.0;
        while entries.next_key::<Key>()?.is_some() {
            entries.next_value_seed(Self(below))?;
        }
        Ok(())
    }
}

/// A key, read and dropped.
struct Key;

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Levels(0)).map(|()| Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }

    #[test]
    fn the_limit_itself_is_not_too_deep() {
        assert!(!is_too_deep(&Value::Null));
        assert!(!is_too_deep(&nested(MOST_NESTING)));
        assert!(is_too_deep(&nested(MOST_NESTING + 1)));
        assert!(!is_too_deep_for_a_field(&nested(MOST_NESTING - 1)));
        assert!(is_too_deep_for_a_field(&nested(MOST_NESTING)));
    }

    #[test]
    fn what_is_storable_reads_back_as_a_value() {
        let deepest = nested(MOST_NESTING).to_string();
        for text in ["{}", "1", "\"a\"", r#"{"a":[1,-2,3.5e3,true,null,"\ud83d\ude00"]}"#, &deepest]
        {
            assert!(is_storable(text), "{text}");
            assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_not_storable() {
        let too_deep = nested(MOST_NESTING + 1).to_string();
        for text in [
            "",
            "{",
            "{}{}",
            r#"{"a":1e999}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"\ud800":1}"#,
            "[01]",
            &too_deep,
        ] {
            assert!(!is_storable(text), "{text}");
        }
    }
}
