//! The parsed arguments of a call: what the schema is held against and what a handler's types are read from.
//!
//! Other than `serde_json::Value` it borrows its texts from the model's reply, keeps a field that comes twice, so that
//! reading it can say so, and keeps every digit of a number. Reading it is generic over the type that is read and nothing else, which keeps the code
//! of each tool small.

#[cfg(feature = "validate")]
mod check;
mod number;
mod read;
mod write;

#[cfg(feature = "validate")]
pub(crate) use check::Arguments;
pub(crate) use number::{Whole, beyond_floats};
pub(crate) use read::{Misfit, Node};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, cell::Cell, fmt};

/// One JSON value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Json<'t> {
    #[default]
    Null,
    Bool(bool),
    Unsigned(u64),
    Negative(i64),
    /// What is no whole number.
    Float(f64),
    /// A whole number that is written as a float, or has more than 64 bits.
    Whole(Box<Whole<'t>>),
    Text(Cow<'t, str>),
    Array(Vec<Self>),
    Object(Vec<Field<'t>>),
}

/// A field of an object.
pub(crate) type Field<'t> = (Cow<'t, str>, Json<'t>);

impl<'t> Json<'t> {
    /// # Errors
    /// When the text is no JSON, or nests too deeply.
    #[inline]
    pub(crate) fn parse(text: &'t str) -> serde_json::Result<Self> {
        let mut json = serde_json::Deserializer::from_str(text);
        let is_inexact = Cell::new(false);
        let parse = Parse { levels: MOST_LEVELS, is_inexact: &is_inexact };
        let mut value = parse.deserialize(&mut json)?;
        json.end()?;
        if is_inexact.get() {
            number::restore(&mut value, text);
        }
        Ok(value)
    }
}

/// The key under which `serde_json` hands over every number where some crate of the build turns on its feature
/// `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// How many levels of objects and arrays a model may send: few enough that what a handler makes of them can be stored.
const MOST_LEVELS: u8 = 64;

/// Reads a value of up to so many levels.
#[derive(Clone, Copy)]
struct Parse<'f> {
    levels: u8,
    /// Set by a number that `serde_json` hands over as a float: its digits are in the text alone.
    is_inexact: &'f Cell<bool>,
}

impl Parse<'_> {
    fn below<E: Error>(self) -> Result<Self, E> {
        let below = self.levels.checked_sub(1).map(|levels| Self { levels, ..self });
        below.ok_or_else(|| E::custom(format_args!("more than {MOST_LEVELS} levels")))
    }
}

impl<'t> DeserializeSeed<'t> for Parse<'_> {
    type Value = Json<'t>;

    fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<Json<'t>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Parse<'_> {
    type Value = Json<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json<'t>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'t>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'t>, E> {
        Ok(Json::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'t>, E> {
        Ok(u64::try_from(value).map_or(Json::Negative(value), Json::Unsigned))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'t>, E> {
        self.is_inexact.set(true);
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Json<'t>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'t>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut json: A) -> Result<Json<'t>, A::Error> {
        let below = self.below()?;
        let mut items = Vec::new();
        while let Some(item) = json.next_element_seed(below)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'t>>(self, mut json: A) -> Result<Json<'t>, A::Error> {
        let below = self.below()?;
        let Some(first) = json.next_key_seed(Key)? else {
            return Ok(Json::Object(Vec::new()));
        };
        // Few tools have more arguments.
        let mut fields = Vec::with_capacity(4);
        fields.push((first, json.next_value_seed(below)?));
        while let Some(key) = json.next_key_seed(Key)? {
            fields.push((key, json.next_value_seed(below)?));
        }
        Ok(match fields.as_slice() {
            [(key, Json::Text(digits))] if key == NUMBER => {
                let digits = digits.clone();
                Json::number(digits).ok_or_else(|| A::Error::custom("number out of range"))?
            }
            _ => Json::Object(fields),
        })
    }
}

struct Key;

impl<'t> DeserializeSeed<'t> for Key {
    type Value = Cow<'t, str>;

    fn deserialize<D: Deserializer<'t>>(self, json: D) -> Result<Cow<'t, str>, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for Key {
    type Value = Cow<'t, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::{Value, json};

    #[test]
    fn every_kind_of_json_reads_back_as_the_same_value() {
        let text = r#" { "a": [null, true, 1, -1, 1.5, 1e3, "x", "ä\n😀"], "": {}, "b": [[]] } "#;
        let parsed = Json::parse(text).unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::deserialize(Node::of(&parsed)).unwrap(), value);
    }

    #[test]
    fn texts_are_borrowed_unless_they_are_escaped() {
        let parsed = Json::parse(r#"["plain","\u0041"]"#).unwrap();
        let Json::Array(items) = parsed else { panic!() };
        assert!(matches!(
            &items[..],
            [Json::Text(Cow::Borrowed("plain")), Json::Text(Cow::Owned(_))]
        ));
    }

    #[test]
    fn numbers_survive_the_way_they_come_with_arbitrary_precision() {
        for (digits, value) in [("7", json!(7)), ("-7", json!(-7)), ("0.5", json!(0.5))] {
            let text = json!({ NUMBER: digits }).to_string();
            let parsed = Json::parse(&text).unwrap();
            assert_eq!(Value::deserialize(Node::of(&parsed)).unwrap(), value);
        }
    }

    #[test]
    fn a_value_may_have_64_levels_and_no_more() {
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Json::parse(&nested(64)).is_ok());
        let error = Json::parse(&nested(65)).unwrap_err().to_string();
        assert!(error.starts_with("more than 64 levels"), "{error}");
    }

    #[test]
    fn text_behind_the_value_and_nesting_without_end_are_refused() {
        for text in ["{} {}", "", "{", "[1,]", &"[".repeat(100_000)] {
            assert!(Json::parse(text).is_err());
        }
    }
}
