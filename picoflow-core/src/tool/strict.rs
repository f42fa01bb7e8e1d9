//! The strict form of a schema.

use serde_json::{Map, Value, json};

/// The strict form of a schema: every property required, optional ones nullable, objects closed, at every depth.
///
/// OpenAI's strict tools ask for it.
///
/// ```
/// use picoflow_core::strict_form;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
/// assert_eq!(strict_form(&schema)["required"], json!(["n"]));
/// ```
pub fn strict_form(schema: &Value) -> Value {
    let mut schema = schema.clone();
    tighten(&mut schema);
    schema
}

fn tighten(schema: &mut Value) {
    let Value::Object(map) = schema else {
        return;
    };
    for (keyword, value) in map.iter_mut() {
        match (&**keyword, value) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties",
                Value::Object(schemas),
            ) => {
                schemas.values_mut().for_each(tighten);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(tighten);
            }
            ("items" | "additionalProperties" | "not", inner) => tighten(inner),
            _ => {}
        }
    }
    close(map);
}

/// Closes one object. An object without named properties is a map: what it holds cannot be listed.
fn close(map: &mut Map<String, Value>) {
    let required: Vec<Value> = match map.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = map.get_mut("properties") else {
        return;
    };
    let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    for (name, property) in properties.iter_mut() {
        if !required.contains(&json!(name)) {
            allow_null(property);
        }
    }
    map.insert("required".to_owned(), Value::Array(names));
    map.insert("additionalProperties".to_owned(), json!(false));
}

fn allow_null(schema: &mut Value) {
    let null = json!("null");
    let Value::Object(map) = schema else {
        return;
    };
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(kind) = map.get_mut("type") {
        match kind {
            Value::Array(kinds) if kinds.contains(&null) => {}
            Value::Array(kinds) => kinds.push(null),
            kind => *kind = json!([kind, "null"]),
        }
    } else if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        if !choices.iter().any(|choice| choice.get("type") == Some(&null)) {
            choices.push(json!({ "type": "null" }));
        }
    } else if !map.is_empty() {
        let inner = std::mem::take(map);
        let described = inner.get("description").cloned();
        map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
        if let Some(description) = described {
            map.insert("description".to_owned(), description);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema_of;
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Trip {
        to: String,
        from: Option<String>,
        legs: Vec<Leg>,
        class: Option<Class>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Leg {
        km: u32,
        note: Option<String>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Class {
        First,
        Second,
    }

    #[test]
    fn every_object_is_closed_and_every_property_required() {
        let strict = strict_form(&schema_of::<Trip>());
        assert_eq!(strict["required"], json!(["to", "from", "legs", "class"]));
        assert_eq!(strict["additionalProperties"], false);
        assert_eq!(strict["properties"]["to"]["type"], "string");
        assert_eq!(strict["properties"]["from"]["type"], json!(["string", "null"]));
        let leg = &strict["$defs"]["Leg"];
        assert_eq!(leg["required"], json!(["km", "note"]));
        assert_eq!(leg["additionalProperties"], false);
        let class = &strict["properties"]["class"]["anyOf"];
        assert!(class.as_array().is_some_and(|all| all.contains(&json!({ "type": "null" }))));
    }

    #[test]
    fn the_strict_form_of_the_strict_form_is_itself() {
        let once = strict_form(&schema_of::<Trip>());
        assert_eq!(strict_form(&once), once);
    }
}
