//! Parsed arguments as `jsonschema` looks at them.

use super::{Field, Json, Node, number::Integer};
use jsonschema::{
    JsonType,
    json::{self, NodeIdentity},
};
use serde::Deserialize;
use serde_json::{Number, Value};
use std::{borrow::Cow, iter, slice};

/// Stands for [`Json`] where it is a type parameter of the validator.
pub(crate) struct Arguments;

impl json::Json for Arguments {
    type Node<'a> = &'a Json<'a>;
    type PreparedKey = String;
    type StringBuffer = Json<'static>;

    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Json<'static>,
        string: &str,
        f: impl for<'b> FnOnce(&'b Json<'b>) -> T,
    ) -> T {
        *buffer = Json::Text(Cow::Owned(string.to_owned()));
        f(buffer)
    }
}

impl<'a> json::Node<'a, Arguments> for &'a Json<'a> {
    type Object = &'a [Field<'a>];
    type Array = &'a [Json<'a>];
    type Number = Number;

    fn as_object(&self) -> Option<Self::Object> {
        match self {
            Json::Object(fields) => Some(fields),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Self::Array> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Json::Text(text) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Number> {
        match **self {
            Json::Unsigned(value) => Some(value.into()),
            Json::Negative(value) => Some(value.into()),
            // JSON has no number that is not finite.
            Json::Float(value) => Some(Number::from_f64(value).unwrap_or_else(|| 0.into())),
            Json::Whole(ref whole) => match whole.value {
                Some(Integer::Unsigned(value)) => Number::from_u128(value),
                Some(Integer::Negative(value)) => Number::from_i128(value),
                None => None,
            }
            .or_else(|| Number::from_f64(whole.float)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match **self {
            Json::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }

    fn is_number(&self) -> bool {
        self.json_type() == JsonType::Number
    }

    fn json_type(&self) -> JsonType {
        match self {
            Json::Null => JsonType::Null,
            Json::Bool(_) => JsonType::Boolean,
            Json::Unsigned(_) | Json::Negative(_) | Json::Float(_) | Json::Whole(_) => {
                JsonType::Number
            }
            Json::Text(_) => JsonType::String,
            Json::Array(_) => JsonType::Array,
            Json::Object(_) => JsonType::Object,
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Value::deserialize(Node::of(self)).unwrap_or_else(|_| json_of(self)))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(*self).addr()))
    }
}

/// The value with the nearest float in place of a number that it cannot hold, as an error shows it.
fn json_of(value: &Json<'_>) -> Value {
    match value {
        Json::Whole(whole) => whole.float.into(),
        Json::Array(items) => items.iter().map(json_of).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone().into_owned(), json_of(value))).collect()
        }
        value => Value::deserialize(Node::of(value)).unwrap_or_default(),
    }
}

impl<'a> json::Object<'a, Arguments> for &'a [Field<'a>] {
    type Node = &'a Json<'a>;
    type MemberName = &'a str;
    type MembersIter =
        iter::Map<slice::Iter<'a, Field<'a>>, fn(&'a Field<'a>) -> (&'a str, &'a Json<'a>)>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a Json<'a>> {
        self.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn members(&self) -> Self::MembersIter {
        self.iter().map(|(name, value)| (&**name, value))
    }
}

impl<'a> json::Array<'a, Arguments> for &'a [Json<'a>] {
    type Node = &'a Json<'a>;
    type ElementsIter = slice::Iter<'a, Json<'a>>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_validator_finds_what_it_relies_on() {
        let document = json::conformance::document().to_string();
        let parsed = Json::parse(&document).unwrap();
        json::conformance::assert_conformance::<Arguments>(&&parsed);
    }
}
