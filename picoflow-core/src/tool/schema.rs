//! JSON schemas of tool arguments.

use super::table::{FieldRow, SchemaRow};
use crate::text::segment;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// What the `$ref` of a schema leads to within `root`: the place, and the schema there.
pub(super) fn referred<'s>(
    schema: &'s Map<String, Value>,
    root: &'s Value,
) -> Option<(&'s str, &'s Value)> {
    let path = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    Some((path, root.pointer(path)?))
}

/// The schema of `T` as providers take it: draft 2020-12 without a `$schema` link, no title at the root.
///
/// A type that says nothing of itself, such as `serde_json::Value`, is an object that takes any name.
///
/// ```
/// use picoflow_core::schema_of;
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema)]
/// struct Dob {
///     /// Four digits
///     year: u16,
/// }
///
/// let schema = schema_of::<Dob>();
/// assert_eq!(schema["properties"]["year"]["description"], "Four digits");
/// assert_eq!(schema["required"], json!(["year"]));
/// ```
pub fn schema_of<T: JsonSchema + ?Sized>() -> Value {
    let schema = generator().into_root_schema_for::<T>();
    let mut map = match Value::from(schema) {
        Value::Object(map) => map,
        // `true`: anything goes.
        _ => Map::new(),
    };
    map.shift_remove("title");
    if map.is_empty() {
        return json!({ "type": "object", "properties": {}, "additionalProperties": true });
    }
    if map.get("type").is_some_and(|kind| kind == "object") {
        map.entry("properties").or_insert_with(|| json!({}));
    }
    Value::Object(map)
}

impl SchemaRow {
    /// The schema.
    pub fn schema(self) -> Value {
        match self {
            Self::Whole(schema) => schema(),
            Self::Fields(fields) => schema_of_fields(fields),
        }
    }
}

/// The schema that a struct with these fields would have.
fn schema_of_fields(fields: &[FieldRow]) -> Value {
    let mut generator = generator();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = (field.schema)(&mut generator);
        if let Some(text) = field.description {
            schema.insert("description".to_owned(), text.into());
        }
        properties.insert(field.name.to_owned(), schema.into());
        if !(field.is_optional)() {
            required.push(Value::from(field.name));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema.into()
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12();
    settings.with(|settings| settings.meta_schema = None).into_generator()
}

/// The schema of a tool without parameters.
///
/// ```
/// use serde_json::json;
///
/// assert_eq!(picoflow_core::no_arguments(), json!({ "type": "object", "properties": {} }));
/// ```
pub fn no_arguments() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// The places of all properties whose names providers refuse, as JSON pointers.
pub(crate) fn bad_names(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look_for_bad_names(schema, "", &mut found);
    found
}

fn look_for_bad_names(schema: &Value, place: &str, found: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match (&**keyword, value) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                for (name, schema) in schemas {
                    let place = format!("{place}/{keyword}/{}", segment(name));
                    if keyword == "properties" && !is_property_name(name) {
                        found.push(place.clone());
                    }
                    look_for_bad_names(schema, &place, found);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    look_for_bad_names(schema, &format!("{place}/{keyword}/{index}"), found);
                }
            }
            (
                "items"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                schema,
            ) => look_for_bad_names(schema, &format!("{place}/{keyword}"), found),
            _ => {}
        }
    }
}

fn is_property_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn types_without_fields_have_the_empty_object_schema() {
        #[derive(JsonSchema)]
        struct Nothing {}
        assert_eq!(schema_of::<Nothing>(), no_arguments());
    }

    #[test]
    fn a_type_that_takes_anything_says_so() {
        assert_eq!(
            schema_of::<Value>(),
            json!({ "type": "object", "properties": {}, "additionalProperties": true })
        );
    }

    #[test]
    fn named_parameters_have_the_schema_of_a_struct_with_these_fields() {
        #[derive(serde::Deserialize, JsonSchema)]
        struct Leg {
            #[expect(dead_code, reason = "for its schema")]
            km: u32,
        }
        #[expect(dead_code, reason = "for its schema")]
        #[derive(JsonSchema)]
        struct Trip {
            /// Where from
            ///
            /// By name
            from: String,
            legs: Vec<Leg>,
            /// How often
            times: Option<u8>,
            /// The first one
            first: Option<Leg>,
            note: Value,
            best: Leg,
            nothing: (),
        }
        let fields = SchemaRow::Fields(
            const {
                &[
                    FieldRow::of::<String>("from", Some("Where from\n\nBy name")),
                    FieldRow::of::<Vec<Leg>>("legs", None),
                    FieldRow::of::<Option<u8>>("times", Some("How often")),
                    FieldRow::of::<Option<Leg>>("first", Some("The first one")),
                    FieldRow::of::<Value>("note", None),
                    FieldRow::of::<Leg>("best", None),
                    FieldRow::of::<()>("nothing", None),
                ]
            },
        );
        assert_eq!(fields.schema().to_string(), schema_of::<Trip>().to_string());
    }

    #[test]
    fn names_that_providers_refuse_are_found_at_every_depth() {
        let inner = json!({ "properties": { "größe": {}, "fine.one-2_": {} } });
        let long = "a".repeat(65);
        let schema = json!({
            "properties": { "": {}, "a/b": { "items": inner }, "ok": { "anyOf": [{}, inner] }, long.clone(): {} },
            "$defs": { "Größe<u8>": { "allOf": [inner] } },
            "additionalProperties": inner,
        });
        assert_eq!(
            bad_names(&schema),
            [
                "/properties/".to_owned(),
                "/properties/a~1b".to_owned(),
                "/properties/a~1b/items/properties/größe".to_owned(),
                "/properties/ok/anyOf/1/properties/größe".to_owned(),
                format!("/properties/{long}"),
                "/$defs/Größe<u8>/allOf/0/properties/größe".to_owned(),
                "/additionalProperties/properties/größe".to_owned(),
            ]
        );
    }

    #[test]
    fn maps_and_scalars_keep_their_type() {
        assert_eq!(schema_of::<BTreeMap<String, u8>>()["type"], "object");
        assert_eq!(schema_of::<String>()["type"], "string");
    }
}
