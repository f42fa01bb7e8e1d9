//! Parsed JSON as a text.

use super::Json;
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Negative(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Whole(whole) => {
                let raw = RawValue::from_string(whole.text.clone().into_owned());
                raw.map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                let mut fields = fields.iter();
                fields.try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_was_read() {
        let text = r#"{"a":[null,true,-1,18446744073709551615,1.5,1e3,184467440737095516170.0],"b":{"":"ä\n\""}}"#;
        let parsed = Json::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), text);
    }
}
