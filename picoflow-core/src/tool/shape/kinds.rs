//! Sets of the kinds of JSON values.

use crate::tool::Parsed;
use serde_json::Value;
use std::ops::{BitAnd, BitOr, Not};

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tool) struct Kinds(u8);

impl Kinds {
    pub(in crate::tool) const NONE: Self = Self(0);
    pub(in crate::tool) const NULL: Self = Self(1);
    pub(in crate::tool) const INTEGER: Self = Self(1 << 1);
    /// Numbers that are not whole.
    pub(in crate::tool) const FRACTION: Self = Self(1 << 2);
    pub(in crate::tool) const TEXT: Self = Self(1 << 3);
    const TRUTH: Self = Self(1 << 4);
    pub(in crate::tool) const LIST: Self = Self(1 << 5);
    pub(in crate::tool) const OBJECT: Self = Self(1 << 6);
    pub(in crate::tool) const ALL: Self = Self((1 << 7) - 1);
    pub(in crate::tool) const NUMBER: Self = Self(Self::INTEGER.0 | Self::FRACTION.0);

    pub(in crate::tool) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The kind of a value.
    pub(in crate::tool) fn of(value: &Parsed<'_>) -> Self {
        match value {
            Parsed::Null => Self::NULL,
            Parsed::Bool(_) => Self::TRUTH,
            Parsed::Unsigned(_) | Parsed::Negative(_) | Parsed::Whole(_) => Self::INTEGER,
            Parsed::Float(_) => Self::FRACTION,
            Parsed::Text(_) => Self::TEXT,
            Parsed::Array(_) => Self::LIST,
            Parsed::Object(_) => Self::OBJECT,
        }
    }

    /// What a `type` keyword says.
    pub(in crate::tool) fn named(kind: &Value) -> Self {
        let many = kind.as_array().into_iter().flatten();
        let names = many.chain([kind]).filter_map(Value::as_str);
        names.fold(Self::NONE, |kinds, name| {
            kinds
                | match name {
                    "null" => Self::NULL,
                    "boolean" => Self::TRUTH,
                    "integer" => Self::INTEGER,
                    "number" => Self::NUMBER,
                    "string" => Self::TEXT,
                    "array" => Self::LIST,
                    "object" => Self::OBJECT,
                    _ => Self::NONE,
                }
        })
    }

    /// As `type` names them.
    #[cfg(feature = "validate")]
    pub(in crate::tool) fn names(self) -> Vec<&'static str> {
        let all = [
            (Self::NULL, "null"),
            (Self::TRUTH, "boolean"),
            (Self::NUMBER, "number"),
            (Self::INTEGER, "integer"),
            (Self::TEXT, "string"),
            (Self::LIST, "array"),
            (Self::OBJECT, "object"),
        ];
        let named = all.into_iter().filter(|(kind, name)| {
            self.has(*kind) && !(*name == "integer" && self.has(Self::NUMBER))
        });
        named.map(|(_, name)| name).collect()
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Kinds {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for Kinds {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}
