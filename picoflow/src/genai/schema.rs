//! Schemas in the dialects of the providers. None of them loses a property.

use super::Protocol;
use crate::ToolDefinition;
use picoflow_core::__private::try_strict_form;
use serde_json::{Map, Value, json};

/// What a provider is told of a tool's arguments, and whether it is to hold the model to it.
pub(super) fn of_tool(protocol: Protocol, tool: &ToolDefinition) -> (Value, Option<bool>) {
    let plain = || objects_only(tool.schema());
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => {
            let strict = tool.is_strict().then(|| openai_strict(tool.schema())).flatten();
            match strict {
                Some(schema) => (schema, Some(true)),
                // Said aloud, since what the responses do by default would make every property required.
                None => (plain(), Some(false)),
            }
        }
        // Anthropic's strict tools have limits of their own (20 tools, 16 unions), and the schema is held against the
        // arguments here anyway.
        Protocol::Anthropic | Protocol::Gemini | Protocol::Ollama => (plain(), None),
    }
}

/// The schema with an object at its root and no `true` in place of a schema, which not every provider reads.
fn objects_only(schema: &Value) -> Value {
    let mut schema = schema.clone();
    each(&mut schema, &mut |schema| {
        if *schema == json!(true) {
            *schema = json!({});
        }
    });
    if let Value::Object(map) = &mut schema {
        map.remove("$schema");
        map.entry("type").or_insert_with(|| json!("object"));
        let is_map = map.get("additionalProperties").is_some_and(|more| *more != json!(false));
        if !is_map && map.get("type").is_some_and(|kind| kind == "object") {
            map.entry("properties").or_insert_with(|| json!({}));
        }
    }
    schema
}

/// OpenAI's strict form: every property required, optional ones nullable, objects closed, and no keyword that it does
/// not know. `None` if the schema has no such form: it is told as it is then.
pub(super) fn openai_strict(schema: &Value) -> Option<Value> {
    let mut schema = objects_only(schema);
    let mut fits = schema.get("type").is_some_and(|kind| kind == "object");
    each(&mut schema, &mut only_reference);
    let mut schema = try_strict_form(&schema).ok()?;
    each(&mut schema, &mut |schema| fits &= narrow(schema));
    fits.then_some(schema)
}

/// What strict schemas may not say, though leaving it out changes little: it is checked here.
const CHECKED_HERE: [&str; 15] = [
    "$schema",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "minLength",
    "maxLength",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "propertyNames",
];

/// What cannot be left out without changing what fits.
const BEYOND: [&str; 12] = [
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "prefixItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
];

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Takes a schema out of an `allOf` that holds it alone: what stands beside it describes it.
fn only_reference(schema: &mut Value) {
    if let Value::Object(map) = schema
        && let Some(Value::Array(all)) = map.get("allOf")
        && let [Value::Object(one)] = &**all
        && one.keys().all(|key| matches!(&**key, "description" | "title") || !map.contains_key(key))
    {
        let one = one.clone();
        map.remove("allOf");
        for (key, value) in one {
            map.entry(key).or_insert(value);
        }
    }
}

/// Brings one schema into OpenAI's strict dialect; `false` if it has no place there.
fn narrow(schema: &mut Value) -> bool {
    let Value::Object(map) = schema else {
        return false;
    };
    if BEYOND.iter().any(|keyword| map.contains_key(*keyword)) {
        return false;
    }
    map.retain(|keyword, _| !CHECKED_HERE.contains(&&**keyword));
    if map.get("format").is_some_and(|format| !FORMATS.iter().any(|known| format == known)) {
        map.remove("format");
    }
    if !map.contains_key("anyOf")
        && let Some(choices) = map.remove("oneOf")
    {
        map.insert("anyOf".to_owned(), choices);
    }
    if map.contains_key("oneOf") {
        return false;
    }
    let is_object = has_type(map, "object");
    if is_object && !map.contains_key("properties") {
        // A map from any key, which cannot be listed, or an object without fields.
        if map.get("additionalProperties").is_some_and(|more| more == false) {
            map.insert("properties".to_owned(), json!({}));
            map.insert("required".to_owned(), json!([]));
        } else {
            return false;
        }
    }
    if has_type(map, "array") && !map.contains_key("items") {
        return false;
    }
    ["type", "anyOf", "enum", "const", "$ref"].iter().any(|keyword| map.contains_key(*keyword))
}

fn has_type(map: &Map<String, Value>, wanted: &str) -> bool {
    match map.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    }
}

/// A schema for a reply that Anthropic holds its models to: without bounds, which are checked here.
pub(super) fn anthropic_output(schema: &Value) -> Value {
    let mut schema = objects_only(schema);
    each(&mut schema, &mut |schema| {
        if let Value::Object(map) = schema {
            let bounds = [
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
                "minLength",
                "maxLength",
                "maxItems",
                "uniqueItems",
            ];
            map.retain(|keyword, value| {
                let is_bound = bounds.contains(&&**keyword)
                    || (keyword == "minItems" && value.as_u64().is_none_or(|count| count > 1))
                    || (keyword == "format" && !FORMATS.iter().any(|known| *value == **known));
                !is_bound
            });
        }
    });
    schema
}

/// Visits a schema and all schemas in it, from the inside out.
fn each(schema: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    if let Value::Object(map) = schema {
        for (keyword, value) in map.iter_mut() {
            match (&**keyword, value) {
                (
                    "properties" | "patternProperties" | "$defs" | "definitions"
                    | "dependentSchemas",
                    Value::Object(schemas),
                ) => schemas.values_mut().for_each(|schema| each(schema, visit)),
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    for schema in schemas {
                        each(schema, visit);
                    }
                }
                (
                    "items" | "contains" | "not" | "if" | "then" | "else" | "propertyNames",
                    inner,
                ) => each(inner, visit),
                ("additionalProperties" | "unevaluatedProperties", inner @ Value::Object(_)) => {
                    each(inner, visit);
                }
                _ => {}
            }
        }
    }
    visit(schema);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema_of;
    use schemars::JsonSchema;
    use std::collections::BTreeMap;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Order {
        #[schemars(length(min = 1, max = 9))]
        item: String,
        #[schemars(range(min = 1))]
        count: u8,
        note: Option<String>,
        part: Option<Part>,
        size: Size,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Part {
        weight: Option<f64>,
    }

    /// How big it is.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Size {
        /// As a hand.
        Small,
        /// In metres.
        Exact(f64),
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Prices {
        by_item: BTreeMap<String, f64>,
    }

    #[test]
    fn the_strict_form_has_every_property_required_and_no_foreign_keyword() {
        let strict = openai_strict(&schema_of::<Order>()).unwrap();
        assert_eq!(strict["required"], json!(["item", "count", "note", "part", "size"]));
        assert_eq!(strict["additionalProperties"], false);
        assert_eq!(strict["properties"]["item"], json!({ "type": "string" }));
        assert_eq!(
            strict["properties"]["count"],
            json!({ "type": "integer", "minimum": 1, "maximum": 255 })
        );
        assert_eq!(strict["properties"]["note"]["type"], json!(["string", "null"]));
        assert_eq!(strict["$defs"]["Part"]["required"], json!(["weight"]));
        assert!(!strict.to_string().contains("oneOf"), "{strict}");
        assert!(!strict.to_string().contains("\"format\""), "{strict}");
    }

    #[test]
    fn what_has_no_strict_form_is_told_as_it_is() {
        let tool = ToolDefinition::of::<Prices>("price", "Prices").strict();
        let (schema, strict) = of_tool(Protocol::OpenAiChat, &tool);
        assert_eq!(strict, Some(false));
        assert_eq!(schema["properties"]["by_item"]["additionalProperties"]["type"], "number");
        for schema in [
            json!({ "type": "object", "properties": { "a": true } }),
            json!({ "type": "object", "properties": { "a": { "not": { "type": "string" } } } }),
            json!({ "type": "object", "properties": { "a": { "type": "array" } } }),
            json!({ "type": "object", "properties": { "a": { "type": "object" } } }),
            json!({ "anyOf": [{ "type": "object" }] }),
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": true }),
        ] {
            assert_eq!(openai_strict(&schema), None, "{schema}");
        }
    }

    #[test]
    fn a_tool_without_arguments_is_an_empty_object_everywhere() {
        let tool = ToolDefinition::new("ping", "Ping", json!({}));
        for protocol in
            [Protocol::OpenAiChat, Protocol::Anthropic, Protocol::Gemini, Protocol::Ollama]
        {
            let (schema, _) = of_tool(protocol, &tool);
            assert_eq!(schema, json!({ "type": "object", "properties": {} }));
        }
    }

    #[test]
    fn anthropic_gets_no_bounds() {
        let schema = anthropic_output(&schema_of::<Order>());
        assert_eq!(schema["properties"]["item"], json!({ "type": "string" }));
        assert_eq!(schema["properties"]["count"], json!({ "type": "integer" }));
        assert_eq!(schema["required"], json!(["item", "count", "size"]));
    }
}
