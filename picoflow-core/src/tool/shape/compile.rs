//! From a schema to its shapes.

use super::{Kinds, MOST_DEPTH, Place, Rest, Shape, Shapes};
use crate::{text::segment, tool::schema::referred};
use serde_json::{Map, Value};
use std::collections::HashMap;

impl Shapes {
    pub(crate) fn compile(schema: &Value) -> Self {
        let mut compiler = Compiler { root: schema, all: Vec::new(), places: HashMap::new() };
        compiler.place(schema, String::new());
        Self {
            all: compiler.all,
            #[cfg(feature = "validate")]
            places: compiler.places,
        }
    }
}

struct Compiler<'s> {
    root: &'s Value,
    all: Vec<Shape>,
    places: HashMap<String, Place>,
}

/// Keywords that may name properties, and are not followed.
const OPAQUE: [&str; 9] = [
    "patternProperties",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "propertyNames",
];

/// The schema behind references that stand alone; the reference itself if they go in a circle.
fn behind<'s>(root: &'s Value, start: &'s Value, place: &str) -> (&'s Value, String) {
    let (mut schema, mut pointer) = (start, place.to_owned());
    for _ in 0..MOST_DEPTH {
        let Some(map) = schema.as_object() else {
            return (schema, pointer);
        };
        let is_alone =
            map.keys().all(|keyword| keyword == "$ref" || SAYS_NOTHING.contains(&&**keyword));
        let Some((path, target)) = referred(map, root).filter(|_| is_alone) else {
            return (schema, pointer);
        };
        (schema, pointer) = (target, path.to_owned());
    }
    (start, place.to_owned())
}

/// Keywords that change nothing of what fits.
const SAYS_NOTHING: [&str; 8] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
];

impl<'s> Compiler<'s> {
    fn place(&mut self, schema: &'s Value, pointer: String) -> Place {
        let root = self.root;
        let (schema, target) = behind(root, schema, &pointer);
        if target != pointer {
            let place = self.place(schema, target);
            self.places.insert(pointer, place);
            return place;
        }
        if let Some(known) = self.places.get(&pointer) {
            return *known;
        }
        let place = self.all.len();
        self.places.insert(pointer.clone(), place);
        self.all.push(Shape::ANY);
        let shape = match schema {
            Value::Object(map) => self.shape(map, &pointer),
            Value::Bool(false) => Shape { kinds: Kinds::NONE, ..Shape::ANY },
            _ => Shape::ANY,
        };
        if let Some(reserved) = self.all.get_mut(place) {
            *reserved = shape;
        }
        place
    }

    fn shape(&mut self, map: &'s Map<String, Value>, pointer: &str) -> Shape {
        let values = map.get("const").map(|value| vec![value.clone()]);
        let listed = || map.get("enum").and_then(Value::as_array).cloned();
        let names = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let length = |keyword: &str| {
            let length = map.get(keyword).and_then(Value::as_u64);
            length.and_then(|length| usize::try_from(length).ok())
        };
        let mut shape = Shape {
            kinds: map.get("type").map_or(Kinds::ALL, Kinds::named),
            values: values.or_else(listed),
            required: names.filter_map(Value::as_str).map(str::to_owned).collect(),
            is_opaque: OPAQUE.iter().any(|keyword| map.contains_key(*keyword)),
            lengths: (length("minItems").unwrap_or(0), length("maxItems").unwrap_or(usize::MAX)),
            ..Shape::ANY
        };
        if let Some(Value::Object(properties)) = map.get("properties") {
            let places = properties.iter().map(|(name, schema)| {
                (
                    name.clone(),
                    self.place(schema, format!("{pointer}/properties/{}", segment(name))),
                )
            });
            shape.properties = Some(places.collect());
        }
        shape.rest = match map.get("additionalProperties") {
            None => Rest::Unsaid,
            Some(Value::Bool(false)) => Rest::Closed,
            Some(Value::Bool(true)) => Rest::Open,
            Some(schema) => Rest::Of(self.place(schema, format!("{pointer}/additionalProperties"))),
        };
        // The one pattern of a closed object stands for the names of a map, such as digits.
        if let Some(Value::Object(patterns)) = map.get("patternProperties")
            && patterns.len() == 1
            && shape.rest == Rest::Closed
            && let Some((pattern, schema)) = patterns.iter().next()
        {
            let pattern = segment(pattern);
            let place = self.place(schema, format!("{pointer}/patternProperties/{pattern}"));
            shape.rest = Rest::Of(place);
            shape.is_opaque = OPAQUE
                .iter()
                .any(|keyword| *keyword != "patternProperties" && map.contains_key(*keyword));
        }
        shape.prefix = self.list(map, pointer, "prefixItems");
        shape.items = map.get("items").map(|schema| self.place(schema, format!("{pointer}/items")));
        shape.also = self.list(map, pointer, "allOf");
        if map.get("$ref").is_some_and(Value::is_string) {
            match referred(map, self.root) {
                Some((path, schema)) => shape.also.push(self.place(schema, path.to_owned())),
                None => shape.is_opaque = true,
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            let choice = self.list(map, pointer, keyword);
            if !choice.is_empty() {
                shape.choices.push(choice);
            }
        }
        shape
    }

    fn list(&mut self, map: &'s Map<String, Value>, pointer: &str, keyword: &str) -> Vec<Place> {
        let schemas = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let places = schemas.enumerate();
        places
            .map(|(index, schema)| self.place(schema, format!("{pointer}/{keyword}/{index}")))
            .collect()
    }
}

impl Shape {
    const ANY: Self = Self {
        kinds: Kinds::ALL,
        values: None,
        properties: None,
        required: Vec::new(),
        rest: Rest::Unsaid,
        is_opaque: false,
        prefix: Vec::new(),
        items: None,
        lengths: (0, usize::MAX),
        also: Vec::new(),
        choices: Vec::new(),
    };
}
