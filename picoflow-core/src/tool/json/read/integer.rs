//! Integers: every whole number is one, however it is written.

use super::{Misfit, Node};
use crate::tool::json::{Json, Whole, number::Integer};
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use std::fmt::Display;

macro_rules! integers {
    ($($deserialize:ident $integer:ident)*) => {
        $(fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            self.integer(visitor, (stringify!($integer), &$integer::MIN, &$integer::MAX), |value| {
                $integer::try_from(value).is_ok()
            }, |value| $integer::try_from(value).is_ok())
        })*
    };
}
pub(super) use integers;

/// The name of a type of integers, with its least and its greatest value.
type Range<'r> = (&'r str, &'r dyn Display, &'r dyn Display);

impl<'de> Node<'de> {
    /// Reads an integer of a type that holds what the two functions say.
    #[inline]
    pub(super) fn integer<V: Visitor<'de>>(
        self,
        visitor: V,
        range: Range<'_>,
        holds_unsigned: fn(u128) -> bool,
        holds_signed: fn(i128) -> bool,
    ) -> Result<V::Value, Misfit> {
        let (read, is_held) = match self.present()? {
            Json::Unsigned(value) => {
                (visitor.visit_u64(*value), holds_unsigned(u128::from(*value)))
            }
            Json::Negative(value) => (visitor.visit_i64(*value), holds_signed(i128::from(*value))),
            Json::Whole(whole) => match whole.value {
                Some(Integer::Unsigned(value)) => {
                    (visit_unsigned(visitor, value), holds_unsigned(value))
                }
                Some(Integer::Negative(value)) => {
                    (visit_signed(visitor, value), holds_signed(value))
                }
                None => (Err(Misfit::invalid_value(whole.unexpected(), &visitor)), false),
            },
            _ => return self.deserialize_any(visitor),
        };
        read.map_err(|error| if is_held { error } else { self.out_of(range) })
    }

    #[cold]
    fn out_of(self, (name, least, greatest): Range<'_>) -> Misfit {
        let found = self.unexpected();
        Misfit::custom(format_args!(
            "invalid value: {found}, expected {name}, which is from {least} to {greatest}"
        ))
    }
}

fn visit_unsigned<'de, V: Visitor<'de>>(visitor: V, value: u128) -> Result<V::Value, Misfit> {
    match u64::try_from(value) {
        Ok(value) => visitor.visit_u64(value),
        Err(_) => visitor.visit_u128(value),
    }
}

fn visit_signed<'de, V: Visitor<'de>>(visitor: V, value: i128) -> Result<V::Value, Misfit> {
    match i64::try_from(value) {
        Ok(value) => visitor.visit_i64(value),
        Err(_) => visitor.visit_i128(value),
    }
}

impl Whole<'_> {
    /// As the kind of number that it is written as. What is written as an integer never becomes a float.
    pub(super) fn visit<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Misfit> {
        if !self.is_written_as_integer() {
            return visitor.visit_f64(self.float);
        }
        let read = match self.value {
            Some(Integer::Unsigned(value)) => visit_unsigned(visitor, value),
            Some(Integer::Negative(value)) => visit_signed(visitor, value),
            None => Err(Misfit::custom("integer out of range")),
        };
        read.map_err(|error: Misfit| {
            Misfit::custom(format_args!("{error}: `{}` has more than 64 bits", self.text))
        })
    }

    pub(super) fn unexpected(&self) -> Unexpected<'_> {
        if self.is_written_as_integer() {
            Unexpected::Other(&self.text)
        } else {
            Unexpected::Float(self.float)
        }
    }
}
