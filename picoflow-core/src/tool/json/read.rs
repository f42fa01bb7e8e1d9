//! From parsed arguments to the types of a handler.
//!
//! An error carries its place: it is put together on the way back, where containers know which of their fields failed,
//! so a value that fits pays nothing for it.

mod integer;
mod key;

use super::{Field, Json};
use crate::text::segment;
use integer::integers;
use key::Key;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};
use std::{collections::HashSet, fmt, slice};

/// A value that does not fit, and where.
#[derive(Debug)]
pub(crate) struct Misfit(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    /// From the inside out.
    path: Vec<String>,
}

impl Misfit {
    /// A JSON pointer; empty for the whole.
    pub(crate) fn path(&self) -> String {
        let segments = self.0.path.iter().rev();
        segments.flat_map(|name| ["/".to_owned(), segment(name)]).collect()
    }

    pub(crate) fn into_message(self) -> String {
        self.0.message
    }

    /// The same error, in a container that has it at `place`.
    pub(crate) fn under(mut self, place: &(impl ToString + ?Sized)) -> Self {
        self.0.path.push(place.to_string());
        self
    }
}

impl Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(Inner { message: message.to_string(), path: Vec::new() }))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            // What serde calls a unit is `null` here.
            Unexpected::Unit => {
                Self::custom(format_args!("invalid type: null, expected {expected}"))
            }
            found => Self::custom(format_args!("invalid type: {found}, expected {expected}")),
        }
    }
}

impl std::error::Error for Misfit {}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// A value to read from.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// `None`: a field that is not there, which reads as an option alone.
    value: Option<&'a Json<'a>>,
}

impl<'a> Node<'a> {
    pub(crate) const MISSING: Self = Self { value: None };

    pub(crate) const fn of(value: &'a Json<'a>) -> Self {
        Self { value: Some(value) }
    }

    pub(crate) const fn is_missing(self) -> bool {
        self.value.is_none()
    }

    /// The value, as an error names it.
    pub(crate) fn unexpected(self) -> Unexpected<'a> {
        match self.value {
            None | Some(Json::Null) => Unexpected::Unit,
            Some(Json::Bool(value)) => Unexpected::Bool(*value),
            Some(Json::Unsigned(value)) => Unexpected::Unsigned(*value),
            Some(Json::Negative(value)) => Unexpected::Signed(*value),
            Some(Json::Float(value)) => Unexpected::Float(*value),
            Some(Json::Whole(whole)) => whole.unexpected(),
            Some(Json::Text(text)) => Unexpected::Str(text),
            Some(Json::Array(_)) => Unexpected::Seq,
            Some(Json::Object(_)) => Unexpected::Map,
        }
    }

    pub(crate) const fn value(self) -> Option<&'a Json<'a>> {
        self.value
    }

    fn present(self) -> Result<&'a Json<'a>, Misfit> {
        self.value.ok_or_else(|| Misfit::custom("missing"))
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.present()? {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Unsigned(value) => visitor.visit_u64(*value),
            Json::Negative(value) => visitor.visit_i64(*value),
            Json::Float(value) => visitor.visit_f64(*value),
            Json::Whole(whole) => whole.visit(visitor),
            Json::Text(text) => visitor.visit_borrowed_str(text),
            Json::Array(items) => visit_items(items, visitor),
            Json::Object(fields) => {
                if let Some(name) = twice(fields) {
                    return Err(Misfit::custom(format_args!("duplicate field `{name}`")));
                }
                visitor.visit_map(Fields { rest: fields.iter(), current: None })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.value {
            None | Some(Json::Null) => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        if name == RAW {
            // The text is gone; this is the same value written anew.
            let value = serde_json::Value::deserialize(self)?;
            return value.deserialize_newtype_struct(name, visitor).map_err(Misfit::custom);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.present()? {
            Json::Text(variant) => visitor.visit_enum(Variant { name: variant, content: None }),
            Json::Object(fields) => match fields.as_slice() {
                [(name, content)] => visitor.visit_enum(Variant { name, content: Some(content) }),
                _ => {
                    Err(Misfit::custom("expected an object with one key, which names the variant"))
                }
            },
            _ => {
                Err(Misfit::invalid_type(self.unexpected(), &"a string or an object with one key"))
            }
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.present()? {
            Json::Text(name) => visitor.visit_borrowed_str(name),
            // A visitor of identifiers would take a number for a place in the list of names.
            _ => Err(Misfit::invalid_type(self.unexpected(), &visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_unit()
    }

    integers! {
        deserialize_i8 i8 deserialize_i16 i16 deserialize_i32 i32 deserialize_i64 i64 deserialize_i128 i128
        deserialize_u8 u8 deserialize_u16 u16 deserialize_u32 u32 deserialize_u64 u64 deserialize_u128 u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let number = match self.present()? {
            Json::Float(value) => *value,
            Json::Whole(whole) => whole.float(),
            _ => return self.deserialize_any(visitor),
        };
        #[expect(clippy::cast_possible_truncation, reason = "it is what is asked")]
        if (number as f32).is_infinite() {
            return Err(Misfit::custom("number out of range"));
        }
        visitor.visit_f64(number)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.present()? {
            Json::Whole(whole) => visitor.visit_f64(whole.float()),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct
    }
}

/// A name that comes twice: a map would keep one of the two.
fn twice<'a>(fields: &'a [Field<'_>]) -> Option<&'a str> {
    if let [] | [_] = fields {
        return None;
    }
    // Few objects have more fields, and texts of different lengths are told apart at once.
    if fields.len() <= 16 {
        let is_before = |(index, (name, _)): &(usize, &Field<'_>)| {
            fields.iter().take(*index).any(|(other, _)| other == name)
        };
        return fields.iter().enumerate().find(is_before).map(|(_, (name, _))| &**name);
    }
    let mut seen = HashSet::with_capacity(fields.len());
    fields.iter().map(|(name, _)| &**name).find(|name| !seen.insert(*name))
}

/// What `serde_json` calls a `RawValue`.
const RAW: &str = "$serde_json::private::RawValue";

fn visit_items<'de, V: Visitor<'de>>(
    items: &'de [Json<'de>],
    visitor: V,
) -> Result<V::Value, Misfit> {
    let mut access = Items { rest: items.iter(), read: 0 };
    let value = visitor.visit_seq(&mut access)?;
    if access.rest.len() > 0 {
        let expected = format!("an array of {} elements", access.read);
        return Err(Misfit::invalid_length(items.len(), &&*expected));
    }
    Ok(value)
}

struct Items<'a> {
    rest: slice::Iter<'a, Json<'a>>,
    read: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Misfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misfit> {
        let Some(item) = self.rest.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(Node::of(item)).map_err(|error| error.under(&self.read))?;
        self.read += 1;
        Ok(Some(read))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Fields<'a> {
    rest: slice::Iter<'a, Field<'a>>,
    current: Option<(&'a str, &'a Json<'a>)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Misfit;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misfit> {
        let Some((name, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.current = Some((name, value));
        seed.deserialize(Key(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let (name, value) = self.current.take().ok_or_else(|| Misfit::custom("no field"))?;
        seed.deserialize(Node::of(value)).map_err(|error| error.under(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Variant<'a> {
    name: &'a str,
    content: Option<&'a Json<'a>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Misfit;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Misfit> {
        let name = seed.deserialize(IntoDeserializer::<Misfit>::into_deserializer(self.name))?;
        Ok((name, self))
    }
}

impl<'de> Variant<'de> {
    fn content(&self, expected: &str) -> Result<&'de Json<'de>, Misfit> {
        self.content.ok_or_else(|| Misfit::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        match self.content {
            None => Ok(()),
            Some(content) => {
                <()>::deserialize(Node::of(content)).map_err(|error| error.under(self.name))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Misfit> {
        let content = self.content("newtype variant")?;
        seed.deserialize(Node::of(content)).map_err(|error| error.under(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Misfit> {
        let content = self.content("tuple variant")?;
        Node::of(content).deserialize_seq(visitor).map_err(|error| error.under(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let content = self.content("struct variant")?;
        Node::of(content).deserialize_map(visitor).map_err(|error| error.under(self.name))
    }
}

#[cfg(test)]
mod tests;
