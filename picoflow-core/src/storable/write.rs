//! Values of the flow's types as JSON. `serde_json` writes `null` for a float that JSON has no number for; here that is an
//! error, as is everything else that is no JSON, with the place where it stands.
//!
//! The check is part of writing: an ordinary value is not walked a second time.

use crate::text;
use serde::{
    Serialize, Serializer,
    ser::{
        Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};
use serde_json::Value;
use std::{cell::RefCell, fmt};

/// A value that is no JSON.
#[derive(Debug, thiserror::Error)]
pub(crate) struct NotJson {
    /// JSON pointer to the place; empty for the whole.
    path: String,
    reason: String,
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.reason),
            path => write!(f, "at `{path}`: {}", self.reason),
        }
    }
}

pub(crate) fn to_value(value: &(impl Serialize + ?Sized)) -> Result<Value, NotJson> {
    let path = Path::default();
    let written = value.serialize(Checked { inner: serde_json::value::Serializer, path: &path });
    written.map_err(|error| path.blame(&error))
}

pub(crate) fn to_string(value: &(impl Serialize + ?Sized)) -> Result<String, NotJson> {
    let path = Path::default();
    let mut bytes = Vec::with_capacity(128);
    let mut writer = serde_json::Serializer::new(&mut bytes);
    let written = value.serialize(Checked { inner: &mut writer, path: &path });
    written.map_err(|error| path.blame(&error))?;
    String::from_utf8(bytes).map_err(|error| path.blame(&error))
}

/// The way from a fault to the whole, in reverse: each level adds itself when an error passes it.
#[derive(Default)]
struct Path(RefCell<Vec<String>>);

impl Path {
    fn push(&self, segment: impl fmt::Display) {
        self.0.borrow_mut().push(segment.to_string());
    }

    fn blame(&self, error: &impl fmt::Display) -> NotJson {
        let mut path = String::new();
        for segment in self.0.borrow().iter().rev() {
            path.push('/');
            path.push_str(&text::segment(segment));
        }
        NotJson { path, reason: error.to_string() }
    }
}

struct Checked<'p, S> {
    inner: S,
    path: &'p Path,
}

impl<S: Serializer> Checked<'_, S> {
    fn refuse(number: impl fmt::Display) -> S::Error {
        S::Error::custom(format_args!("JSON has no number for `{number}`"))
    }
}

/// A part of a value.
struct Part<'v, 'p, T: ?Sized> {
    value: &'v T,
    path: &'p Path,
}

impl<T: Serialize + ?Sized> Serialize for Part<'_, '_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Checked { inner: serializer, path: self.path })
    }
}

/// Hands a value on as it is.
macro_rules! pass {
    ($($method:ident($type:ty);)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        }
    )*};
}

/// Begins a list or an object.
macro_rules! begin {
    ($($method:ident($($name:ident: $type:ty),*) -> $compound:ident, $variant:expr;)*) => {$(
        #[inline]
        fn $method(self, $($name: $type),*) -> Result<Self::$compound, S::Error> {
            Ok(Compound {
                inner: self.inner.$method($($name),*)?,
                path: self.path,
                index: 0,
                key: None,
                variant: $variant,
            })
        }
    )*};
}

impl<'p, S: Serializer> Serializer for Checked<'p, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Compound<'p, S::SerializeSeq>;
    type SerializeTuple = Compound<'p, S::SerializeTuple>;
    type SerializeTupleStruct = Compound<'p, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Compound<'p, S::SerializeTupleVariant>;
    type SerializeMap = Compound<'p, S::SerializeMap>;
    type SerializeStruct = Compound<'p, S::SerializeStruct>;
    type SerializeStructVariant = Compound<'p, S::SerializeStructVariant>;

    pass! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_unit_struct(&'static str);
    }

    begin! {
        serialize_seq(len: Option<usize>) -> SerializeSeq, None;
        serialize_tuple(len: usize) -> SerializeTuple, None;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct, None;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant, Some(variant);
        serialize_map(len: Option<usize>) -> SerializeMap, None;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct, None;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant, Some(variant);
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        if value.is_finite() { self.inner.serialize_f32(value) } else { Err(Self::refuse(value)) }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        if value.is_finite() { self.inner.serialize_f64(value) } else { Err(Self::refuse(value)) }
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.serialize_some(&Part { value, path: self.path })
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_newtype_struct(name, &Part { value, path: self.path })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let path = self.path;
        let part = Part { value, path };
        let written = self.inner.serialize_newtype_variant(name, index, variant, &part);
        written.inspect_err(|_| path.push(variant))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// A list or an object that is being written.
struct Compound<'p, C> {
    inner: C,
    path: &'p Path,
    /// The place of the next element of a list.
    index: usize,
    /// The key of the next value, where key and value come apart.
    key: Option<String>,
    /// The variant that the list or the object belongs to.
    variant: Option<&'static str>,
}

impl<C> Compound<'_, C> {
    fn element<T: Serialize + ?Sized, E>(
        &mut self,
        value: &T,
        write: impl FnOnce(&mut C, &Part<'_, '_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        write(&mut self.inner, &Part { value, path: self.path })
            .inspect_err(|_| self.blame(self.index))?;
        self.index += 1;
        Ok(())
    }

    fn field<T: Serialize + ?Sized, E>(
        &mut self,
        key: impl FnOnce() -> String,
        value: &T,
        write: impl FnOnce(&mut C, &Part<'_, '_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        write(&mut self.inner, &Part { value, path: self.path }).inspect_err(|_| self.blame(key()))
    }

    fn blame(&self, segment: impl fmt::Display) {
        self.path.push(segment);
        if let Some(variant) = self.variant {
            self.path.push(variant);
        }
    }
}

/// A key as a text; it has been written, or refused, elsewhere.
fn text_of(key: &(impl Serialize + ?Sized)) -> String {
    match serde_json::to_value(key) {
        Ok(Value::String(key)) => key,
        Ok(key) => key.to_string(),
        Err(_) => "?".to_owned(),
    }
}

macro_rules! list {
    ($($trait:ident, $method:ident;)*) => {$(
        impl<C: $trait> $trait for Compound<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                self.element(value, |inner, part| inner.$method(part))
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        }
    )*};
}

list! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

macro_rules! object {
    ($($trait:ident;)*) => {$(
        impl<C: $trait> $trait for Compound<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), C::Error> {
                self.field(|| key.to_owned(), value, |inner, part| inner.serialize_field(key, part))
            }

            fn skip_field(&mut self, key: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(key)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        }
    )*};
}

object! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<C: SerializeMap> SerializeMap for Compound<'_, C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.key = Some(text_of(key));
        self.inner.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        let key = self.key.take().unwrap_or_default();
        self.field(|| key, value, |inner, part| inner.serialize_value(part))
    }

    #[inline]
    fn serialize_entry<K: Serialize + ?Sized, T: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &T,
    ) -> Result<(), C::Error> {
        self.field(|| text_of(key), value, |inner, part| inner.serialize_entry(key, part))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.inner.end()
    }
}

#[cfg(test)]
mod tests;
