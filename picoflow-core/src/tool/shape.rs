//! What a schema says of names, kinds and choices, compiled: enough to tell which branch of a choice a value means.

mod compile;
mod kinds;
mod matching;

pub(super) use kinds::Kinds;
pub(super) use matching::Matcher;
#[cfg(feature = "validate")]
pub(super) use matching::is_one_of;

use serde_json::Value;
#[cfg(feature = "validate")]
use std::collections::HashMap;

/// How deep a value is followed: deeper ones are left as they are.
pub(super) const MOST_DEPTH: usize = 64;

/// A place in [`Shapes`].
pub(super) type Place = usize;

/// A schema, and all schemas in it.
#[derive(Debug)]
pub(crate) struct Shapes {
    /// Never empty: the first is the whole.
    all: Vec<Shape>,
    /// By JSON pointer.
    #[cfg(feature = "validate")]
    places: HashMap<String, Place>,
}

/// One schema.
#[derive(Debug)]
pub(super) struct Shape {
    /// By its own `type`.
    pub(super) kinds: Kinds,
    /// By its own `const` or `enum`.
    pub(super) values: Option<Vec<Value>>,
    pub(super) properties: Option<Vec<(String, Place)>>,
    pub(super) required: Vec<String>,
    pub(super) rest: Rest,
    /// Whether it names properties in a way that is not followed.
    pub(super) is_opaque: bool,
    pub(super) prefix: Vec<Place>,
    pub(super) items: Option<Place>,
    pub(super) lengths: (usize, usize),
    /// What holds too: `allOf` and `$ref`.
    pub(super) also: Vec<Place>,
    /// `anyOf` and `oneOf`.
    pub(super) choices: Vec<Vec<Place>>,
}

/// `additionalProperties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Unsaid,
    Closed,
    Open,
    Of(Place),
}

impl Shapes {
    pub(super) const ROOT: Place = 0;

    pub(super) fn get(&self, place: Place) -> Option<&Shape> {
        self.all.get(place)
    }

    /// The branches of the choice at this JSON pointer, which ends in `anyOf` or `oneOf`.
    #[cfg(feature = "validate")]
    pub(super) fn branches(&self, choice: &str, count: usize) -> Vec<Place> {
        let branches =
            (0..count).map(|index| self.places.get(&format!("{choice}/{index}")).copied());
        branches.collect::<Option<_>>().unwrap_or_default()
    }

    /// The schemas that hold for the value wherever `place` does, whatever the value is.
    pub(super) fn always(&self, place: Place) -> Vec<&Shape> {
        let mut places = vec![place];
        let mut next = 0;
        while let Some(shape) = places.get(next).and_then(|place| self.get(*place)) {
            next += 1;
            for also in &shape.also {
                if !places.contains(also) {
                    places.push(*also);
                }
            }
        }
        places.into_iter().filter_map(|place| self.get(place)).collect()
    }
}

impl Shape {
    pub(super) fn property(&self, name: &str) -> Option<Place> {
        let properties = self.properties.as_ref()?;
        properties.iter().find(|(known, _)| known == name).map(|(_, place)| *place)
    }

    /// The schema of the field `name`.
    pub(super) fn field(&self, name: &str) -> Option<Place> {
        self.property(name).or(match self.rest {
            Rest::Of(place) => Some(place),
            _ => None,
        })
    }

    pub(super) fn item(&self, index: usize) -> Option<Place> {
        self.prefix.get(index).copied().or(self.items)
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// Whether nothing but its own keywords counts.
    pub(super) fn is_plain(&self) -> bool {
        self.also.is_empty() && self.choices.is_empty() && !self.is_opaque
    }
}
