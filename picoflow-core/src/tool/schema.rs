//! JSON schemas of tool arguments.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of `T` as providers take it: draft 2020-12 without a `$schema` link, no title at the root.
///
/// A type that says nothing of itself, such as `serde_json::Value`, is an object with any fields.
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
    let schema = SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .into_generator()
        .into_root_schema_for::<T>();
    let mut map = match Value::from(schema) {
        Value::Object(map) => map,
        // `true`: anything goes.
        _ => Map::new(),
    };
    map.shift_remove("title");
    if map.is_empty() {
        return no_arguments();
    }
    if map.get("type").is_some_and(|kind| kind == "object") {
        map.entry("properties").or_insert_with(|| json!({}));
    }
    Value::Object(map)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn types_without_fields_have_the_empty_object_schema() {
        #[derive(JsonSchema)]
        struct Nothing {}
        assert_eq!(schema_of::<Nothing>(), no_arguments());
        assert_eq!(schema_of::<Value>(), no_arguments());
    }

    #[test]
    fn maps_and_scalars_keep_their_type() {
        assert_eq!(schema_of::<BTreeMap<String, u8>>()["type"], "object");
        assert_eq!(schema_of::<String>()["type"], "string");
    }
}
