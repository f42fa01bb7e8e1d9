//! Arguments whose names no parameter has.

use super::{
    Parsed, ToolError, ToolValidator,
    error::ArgumentFault,
    shape::{MOST_DEPTH, Matcher, Place, Rest, Shape, Shapes},
};
use crate::{similar::most_like, text::segment};
use std::fmt;

/// How many of them are told.
const MOST: usize = 8;

/// How many names are listed in place of it.
const MOST_NAMES: usize = 30;

/// An argument whose name the schema does not know.
#[derive(Debug)]
pub(crate) struct Unknown {
    /// A JSON pointer.
    path: String,
    /// The known name that is most like it, of those that are not given.
    nearest: Option<String>,
    known: Vec<String>,
}

impl Unknown {
    /// The error of a call that has these.
    pub(crate) fn refuse(unknown: Vec<Self>) -> ToolError {
        let faults = unknown.into_iter().map(|unknown| {
            let message = Advice(&unknown).to_string();
            ArgumentFault::new(unknown.path, message)
        });
        ToolError::arguments(faults.collect())
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, Advice(self))
    }
}

struct Advice<'a>(&'a Unknown);

impl fmt::Display for Advice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no parameter of this name")?;
        match &self.0.nearest {
            Some(name) => write!(f, ", did you mean `{name}`?")?,
            None => f.write_str(".")?,
        }
        match self.0.known.split_at_checked(MOST_NAMES) {
            Some((first, _)) => write!(f, " Known are `{}` and more", first.join("`, `")),
            None if self.0.known.is_empty() => f.write_str(" There are none here"),
            None => write!(f, " Known are `{}`", self.0.known.join("`, `")),
        }
    }
}

impl ToolValidator {
    /// The arguments whose names the schema does not know, though it lists names where they stand. What it closes by
    /// itself is left to [`check`](Self::check), where there is one.
    #[inline]
    pub(crate) fn unknown(&self, arguments: &Parsed<'_>) -> Vec<Unknown> {
        let shapes = self.shapes();
        if knows_all(shapes, arguments, Shapes::ROOT) {
            return Vec::new();
        }
        find(shapes, arguments)
    }
}

/// Whether every name is surely known. Few calls have choices; the others take this short way.
fn knows_all(shapes: &Shapes, value: &Parsed<'_>, place: Place) -> bool {
    let Some(shape) = shapes.get(place).filter(|shape| shape.is_plain()) else {
        return !is_container(value);
    };
    match value {
        Parsed::Object(fields) => fields.iter().all(|(name, value)| match shape.property(name) {
            Some(place) => !is_container(value) || knows_all(shapes, value, place),
            None => match shape.rest {
                Rest::Of(place) => !is_container(value) || knows_all(shapes, value, place),
                Rest::Open => true,
                Rest::Unsaid | Rest::Closed => shape.properties.is_none(),
            },
        }),
        Parsed::Array(items) => items.iter().enumerate().all(|(index, item)| {
            !is_container(item)
                || shape.item(index).is_none_or(|place| knows_all(shapes, item, place))
        }),
        _ => true,
    }
}

const fn is_container(value: &Parsed<'_>) -> bool {
    matches!(value, Parsed::Object(_) | Parsed::Array(_))
}

#[cold]
fn find(shapes: &Shapes, arguments: &Parsed<'_>) -> Vec<Unknown> {
    let mut finder = Finder {
        shapes,
        matcher: Matcher::new(shapes, arguments, false),
        path: Vec::new(),
        found: Vec::new(),
    };
    finder.look(arguments, &[Shapes::ROOT], MOST_DEPTH);
    finder.found
}

struct Finder<'a> {
    shapes: &'a Shapes,
    matcher: Matcher<'a>,
    path: Vec<String>,
    found: Vec<Unknown>,
}

impl Finder<'_> {
    fn look(&mut self, value: &Parsed<'_>, places: &[Place], depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if !is_container(value) || places.is_empty() {
            return;
        }
        let mut found = Vec::new();
        let mut is_whole = true;
        for place in places {
            is_whole &= self.matcher.collect(value, *place, MOST_DEPTH, &mut found);
        }
        // Of a choice that the value fits no branch of, the names are not known.
        if !is_whole {
            return;
        }
        let shapes: Vec<&Shape> =
            found.iter().filter_map(|place| self.shapes.get(*place)).collect();
        match value {
            Parsed::Object(fields) => {
                let lists = shapes.iter().any(|shape| shape.properties.is_some());
                let is_open = shapes
                    .iter()
                    .any(|shape| shape.is_opaque || matches!(shape.rest, Rest::Open | Rest::Of(_)));
                for (name, value) in fields {
                    let is_known = shapes.iter().any(|shape| shape.property(name).is_some());
                    let inner: Vec<_> =
                        shapes.iter().filter_map(|shape| shape.field(name)).collect();
                    self.path.push(segment(name));
                    if lists && !is_open && !is_known && self.found.len() < MOST {
                        let unknown = self.unknown(name, &shapes, fields);
                        self.found.push(unknown);
                    }
                    self.look(value, &inner, depth);
                    self.path.pop();
                }
            }
            Parsed::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let inner: Vec<_> =
                        shapes.iter().filter_map(|shape| shape.item(index)).collect();
                    self.path.push(index.to_string());
                    self.look(item, &inner, depth);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    fn unknown(&self, name: &str, shapes: &[&Shape], fields: &[super::json::Field<'_>]) -> Unknown {
        let properties = shapes.iter().flat_map(|shape| shape.properties.iter().flatten());
        let mut known: Vec<String> = Vec::new();
        for (property, _) in properties {
            if !known.contains(property) {
                known.push(property.clone());
            }
        }
        let free = known.iter().filter(|known| !fields.iter().any(|(field, _)| field == *known));
        let nearest = most_like(name, free.map(String::as_str)).map(str::to_owned);
        let path = self.path.iter().flat_map(|segment| ["/", segment]).collect();
        Unknown { path, nearest, known }
    }
}
