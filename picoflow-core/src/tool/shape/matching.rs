//! Which branches of a choice a value means.

use super::{Kinds, Place, Rest, Shape, Shapes};
use crate::tool::{
    Node, Parsed,
    fit::number,
    json::{Field, Misfit},
};
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;

/// How many schemas are held against the values of one call, and against each of its values besides: choices in choices
/// ask for more than any use has.
const MOST_STEPS: usize = 100_000;
const MOST_STEPS_EACH: usize = 64;

/// Holds values against shapes, generously: `null` counts as absent where nothing is required.
pub(in crate::tool) struct Matcher<'s> {
    shapes: &'s Shapes,
    is_lenient: bool,
    steps: Cell<usize>,
}

impl<'s> Matcher<'s> {
    /// `is_lenient`: a number in a text counts as a number.
    pub(in crate::tool) fn new(shapes: &'s Shapes, value: &Parsed<'_>, is_lenient: bool) -> Self {
        let steps = MOST_STEPS + MOST_STEPS_EACH * size(value);
        Self { shapes, is_lenient, steps: Cell::new(steps) }
    }

    /// Every schema that says something of `value`: that at `place`, what holds with it, and of each choice the
    /// branches that the value fits, else those that its tag names. Returns whether each choice has one.
    pub(in crate::tool) fn collect(
        &self,
        value: &Parsed<'_>,
        place: Place,
        depth: usize,
        found: &mut Vec<Place>,
    ) -> bool {
        let (Some(shape), Some(depth)) = (self.shapes.get(place), depth.checked_sub(1)) else {
            return false;
        };
        if !self.step() {
            return false;
        }
        if found.contains(&place) {
            return true;
        }
        found.push(place);
        let mut is_whole = true;
        for also in &shape.also {
            is_whole &= self.collect(value, *also, depth, found);
        }
        for choice in &shape.choices {
            let fits = |branch: &&Place| self.fits(value, **branch, depth);
            let mut meant: Vec<_> = choice.iter().filter(fits).collect();
            if meant.is_empty() {
                meant = choice.iter().filter(|branch| self.is_tagged(value, **branch)).collect();
            }
            is_whole &= !meant.is_empty();
            for branch in meant {
                is_whole &= self.collect(value, *branch, depth, found);
            }
        }
        is_whole
    }

    /// The kinds that a value may have by the schema at `place`.
    pub(in crate::tool) fn kinds(&self, place: Place, depth: usize) -> Kinds {
        let (Some(shape), Some(depth)) = (self.shapes.get(place), depth.checked_sub(1)) else {
            return Kinds::ALL;
        };
        if !self.step() {
            return Kinds::ALL;
        }
        let mut kinds = shape.kinds;
        if shape.values.as_ref().is_some_and(|values| !values.contains(&Value::Null)) {
            kinds = kinds & !Kinds::NULL;
        }
        for also in &shape.also {
            kinds = kinds & self.kinds(*also, depth);
        }
        for choice in &shape.choices {
            let of_choice = choice.iter().map(|branch| self.kinds(*branch, depth));
            kinds = kinds & of_choice.fold(Kinds::NONE, |all, kinds| all | kinds);
        }
        kinds
    }

    /// Whether `value` fits the schema at `place`.
    fn fits(&self, value: &Parsed<'_>, place: Place, depth: usize) -> bool {
        let (Some(shape), Some(depth)) = (self.shapes.get(place), depth.checked_sub(1)) else {
            return false;
        };
        self.step()
            && self.fits_kind(value, shape)
            && shape.values.as_ref().is_none_or(|values| is_one_of(value, values))
            && match value {
                Parsed::Object(fields) => self.fits_fields(fields, shape, depth),
                Parsed::Array(items) => {
                    (shape.lengths.0..=shape.lengths.1).contains(&items.len())
                        && items.iter().enumerate().all(|(index, item)| {
                            shape.item(index).is_none_or(|place| self.fits(item, place, depth))
                        })
                }
                _ => true,
            }
            && shape.also.iter().all(|also| self.fits(value, *also, depth))
            && shape
                .choices
                .iter()
                .all(|choice| choice.iter().any(|branch| self.fits(value, *branch, depth)))
    }

    fn step(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or(0));
        left.is_some()
    }

    fn fits_kind(&self, value: &Parsed<'_>, shape: &Shape) -> bool {
        if shape.kinds.has(Kinds::of(value)) {
            return true;
        }
        match value {
            Parsed::Text(text) if self.is_lenient => {
                let number = number(text);
                number.is_some_and(|number| shape.kinds.has(Kinds::of(&number)))
            }
            _ => false,
        }
    }

    fn fits_fields(&self, fields: &[Field<'_>], shape: &Shape, depth: usize) -> bool {
        let has = |name: &String| fields.iter().any(|(field, _)| field == name);
        // Tags first: they tell most branches apart.
        shape.required.iter().all(has)
            && self.has_tags(fields, shape)
            && fields.iter().all(|(name, value)| match shape.property(name) {
                Some(_) if *value == Parsed::Null && !shape.is_required(name) => true,
                Some(place) => self.fits(value, place, depth),
                None => match shape.rest {
                    Rest::Closed => false,
                    Rest::Of(place) => self.fits(value, place, depth),
                    Rest::Unsaid | Rest::Open => true,
                },
            })
    }

    /// Whether every field that may have certain values alone has one of them.
    fn has_tags(&self, fields: &[Field<'_>], shape: &Shape) -> bool {
        shape.properties.iter().flatten().all(|(name, place)| {
            let values = self.shapes.get(*place).and_then(|shape| shape.values.as_ref());
            let field = fields.iter().find(|(field, _)| field == name);
            match (values, field) {
                (Some(_), Some((_, Parsed::Null))) => !shape.is_required(name),
                (Some(values), Some((_, value))) => is_one_of(value, values),
                _ => true,
            }
        })
    }

    /// Whether `value` names the branch at `place`, though it may not fit it.
    fn is_tagged(&self, value: &Parsed<'_>, place: Place) -> bool {
        self.shapes.always(place).into_iter().all(|shape| {
            shape.kinds.has(Kinds::of(value))
                && shape.values.as_ref().is_none_or(|values| is_one_of(value, values))
                && match value {
                    Parsed::Object(fields) => {
                        let is_known = |name: &str| shape.property(name).is_some();
                        self.has_tags(fields, shape)
                            && (shape.rest != Rest::Closed
                                || fields.iter().all(|(name, _)| is_known(name)))
                    }
                    _ => true,
                }
        })
    }
}

/// How many values there are in it.
fn size(value: &Parsed<'_>) -> usize {
    match value {
        Parsed::Object(fields) => fields.iter().map(|(_, value)| 1 + size(value)).sum(),
        Parsed::Array(items) => items.iter().map(|item| 1 + size(item)).sum(),
        _ => 0,
    }
}

/// Whether `value` is one of `values`; numbers are the same however they are written.
pub(in crate::tool) fn is_one_of(value: &Parsed<'_>, values: &[Value]) -> bool {
    let read: Result<Value, Misfit> = match value {
        Parsed::Text(text) => return values.iter().any(|known| known == &**text),
        Parsed::Whole(whole) => match Parsed::integer(whole) {
            Some(integer) => Value::deserialize(Node::of(&integer)),
            None => return false,
        },
        value => Value::deserialize(Node::of(value)),
    };
    read.is_ok_and(|value| {
        values.iter().any(|known| {
            *known == value || known.as_f64().is_some_and(|known| value.as_f64() == Some(known))
        })
    })
}
