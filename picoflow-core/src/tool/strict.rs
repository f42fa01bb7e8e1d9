//! The strict form of a schema.

use super::{schema::referred, shape::Kinds};
use serde_json::{Map, Value, json};

/// The strict form of a schema: every property required, optional ones nullable, objects closed, at every depth.
///
/// OpenAI's strict tools ask for it. A schema without such a form is returned as it is: where an object takes names that
/// cannot be listed, or where its properties are spread over `allOf`, `anyOf`, `oneOf` or `$ref` beside `properties`, as
/// `#[serde(flatten)]` does it, closing it would refuse what the tool takes.
///
/// ```
/// use picoflow_core::strict_form;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
/// assert_eq!(strict_form(&schema)["required"], json!(["n"]));
///
/// let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
/// assert_eq!(strict_form(&map), map);
/// ```
pub fn strict_form(schema: &Value) -> Value {
    try_strict_form(schema).unwrap_or_else(|_| schema.clone())
}

/// The strict form.
///
/// # Errors
/// Why there is none.
pub fn try_strict_form(schema: &Value) -> Result<Value, String> {
    let mut strict = schema.clone();
    match tighten(&mut strict, schema) {
        Ok(()) => Ok(strict),
        Err(NoForm { path, reason }) => {
            let place = path.into_iter().rev().flat_map(|segment| ["/".to_owned(), segment]);
            let place: String = place.collect();
            let place =
                if place.is_empty() { "at its root".to_owned() } else { format!("at `{place}`") };
            Err(format!("{place} {reason}"))
        }
    }
}

/// Why a schema has no strict form.
struct NoForm {
    /// From the inside out.
    path: Vec<String>,
    reason: &'static str,
}

impl NoForm {
    const fn because(reason: &'static str) -> Self {
        Self { path: Vec::new(), reason }
    }

    fn under(mut self, keyword: &str, name: Option<String>) -> Self {
        self.path.extend(name);
        self.path.push(keyword.to_owned());
        self
    }
}

/// Keywords whose schemas do not mean the same when they are closed.
const BEYOND: [&str; 12] = [
    "if",
    "then",
    "else",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
];

fn tighten(schema: &mut Value, root: &Value) -> Result<(), NoForm> {
    let Value::Object(map) = schema else {
        return Ok(());
    };
    let excludes_objects = map.get("not").is_some_and(|not| !is_scalar(not));
    if excludes_objects || BEYOND.iter().any(|keyword| map.contains_key(*keyword)) {
        return Err(NoForm::because("there are conditions that do not hold for a closed object"));
    }
    if let Some(Value::Array(choices)) = map.get("anyOf")
        && takes_later_ones(choices, root)
    {
        return Err(NoForm::because("an earlier form of a choice takes the values of a later one"));
    }
    for (keyword, value) in map.iter_mut() {
        match (&**keyword, value) {
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    tighten(schema, root)
                        .map_err(|none| none.under(keyword, Some(name.clone())))?;
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    tighten(schema, root)
                        .map_err(|none| none.under(keyword, Some(index.to_string())))?;
                }
            }
            ("items", inner) => tighten(inner, root).map_err(|none| none.under(keyword, None))?,
            _ => {}
        }
    }
    close(map)
}

/// Whether an object that is meant for one of `choices` fits one before it, which does not know all of its names and would lose
/// them: an untagged enum takes the first that fits, and does not close it.
fn takes_later_ones(choices: &[Value], root: &Value) -> bool {
    let choices: Vec<_> = choices.iter().map(|choice| behind(choice, root)).collect();
    choices.iter().enumerate().any(|(index, earlier)| {
        let is_closed = earlier.get("additionalProperties") == Some(&json!(false));
        !is_closed && choices.iter().skip(index + 1).any(|later| takes(earlier, later, root))
    })
}

fn takes(earlier: &Value, later: &Value, root: &Value) -> bool {
    let (Some(own), Some(others)) = (properties(earlier), properties(later)) else {
        return false;
    };
    let required = earlier.get("required").and_then(Value::as_array).into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    let is_apart = |(name, schema): (&String, &Value)| {
        others.get(name).is_some_and(|other| are_apart(behind(schema, root), behind(other, root)))
    };
    required.all(|name| others.contains_key(name))
        && others.keys().any(|name| !own.contains_key(name))
        && !own.iter().any(is_apart)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// Whether no value fits both, by their types or by the values that they list.
fn are_apart(one: &Value, other: &Value) -> bool {
    let listed = |schema: &Value| match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    };
    if let (Some(one), Some(other)) = (listed(one), listed(other)) {
        return !one.iter().any(|value| other.contains(value));
    }
    let kinds = |schema: &Value| schema.get("type").map(Kinds::named);
    match (kinds(one), kinds(other)) {
        (Some(one), Some(other)) => one & other == Kinds::NONE,
        _ => false,
    }
}

/// The schema, or the one that it refers to.
fn behind<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let target = schema.as_object().and_then(|map| referred(map, root));
    target.map_or(schema, |(_, target)| target)
}

/// Whether a schema speaks of values that are no objects, in words that mean the same in the strict form.
fn is_scalar(schema: &Value) -> bool {
    let is_simple = |(keyword, value): (&String, &Value)| match &**keyword {
        "const" => !value.is_object(),
        "enum" => value.as_array().is_some_and(|all| !all.iter().any(Value::is_object)),
        _ => false,
    };
    schema.as_object().is_some_and(|map| !map.is_empty() && map.iter().all(is_simple))
}

/// Closes one object.
fn close(map: &mut Map<String, Value>) -> Result<(), NoForm> {
    let is_object = match map.get("type") {
        Some(Value::Array(kinds)) => kinds.contains(&json!("object")),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    if map.get("additionalProperties").is_some_and(|more| *more != json!(false)) {
        return Err(NoForm::because("an object takes names that are not listed"));
    }
    let is_several = map.get("allOf").and_then(Value::as_array).is_some_and(|all| all.len() > 1);
    let spread: Vec<_> =
        ["anyOf", "oneOf", "allOf", "$ref"].iter().filter(|it| map.contains_key(**it)).collect();
    if is_several || spread.len() > 1 || (map.contains_key("properties") && !spread.is_empty()) {
        return Err(NoForm::because(
            "the properties of one object are spread over several schemas",
        ));
    }
    let required: Vec<Value> = match map.get("required") {
        Some(Value::Array(names)) => names.clone(),
        _ => Vec::new(),
    };
    let Some(Value::Object(properties)) = map.get_mut("properties") else {
        return if map.contains_key("required") {
            Err(NoForm::because("an object requires a name that it does not list"))
        } else if is_object && spread.is_empty() && !map.contains_key("additionalProperties") {
            Err(NoForm::because("an object takes any name"))
        } else {
            Ok(())
        };
    };
    let is_listed = |name: &Value| name.as_str().is_some_and(|name| properties.contains_key(name));
    if !required.iter().all(is_listed) {
        return Err(NoForm::because("an object requires a name that it does not list"));
    }
    let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    for (name, property) in properties.iter_mut() {
        if *property == json!(false) {
            return Err(NoForm::because("a property may not be given"));
        }
        if !required.contains(&json!(name)) {
            allow_null(property);
        }
    }
    map.insert("required".to_owned(), Value::Array(names));
    map.insert("additionalProperties".to_owned(), json!(false));
    Ok(())
}

/// Keywords beside which another `type` is not enough for `null`.
const CHOOSES: [&str; 7] = ["const", "enum", "anyOf", "oneOf", "allOf", "$ref", "not"];

fn allow_null(schema: &mut Value) {
    let null = json!("null");
    let Value::Object(map) = schema else {
        return;
    };
    let mut choosing = CHOOSES.iter().copied().filter(|keyword| map.contains_key(*keyword));
    match (choosing.next(), choosing.next()) {
        (None, _) => match map.get_mut("type") {
            None => {}
            Some(Value::Array(kinds)) if kinds.contains(&null) => {}
            Some(Value::Array(kinds)) => kinds.push(null),
            Some(kind) => *kind = json!([kind, "null"]),
        },
        (Some("enum"), None) => {
            if let Some(Value::Array(values)) = map.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
            match map.get_mut("type") {
                Some(Value::Array(kinds)) if !kinds.contains(&null) => kinds.push(null),
                Some(kind @ Value::String(_)) if *kind != null => *kind = json!([kind, "null"]),
                _ => {}
            }
        }
        (Some("anyOf"), None) if !map.contains_key("type") => {
            if let Some(Value::Array(choices)) = map.get_mut("anyOf")
                && !choices.iter().any(|choice| choice.get("type") == Some(&null))
            {
                choices.push(json!({ "type": "null" }));
            }
        }
        _ => {
            let inner = std::mem::take(map);
            let described = inner.get("description").cloned();
            map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
            if let Some(description) = described {
                map.insert("description".to_owned(), description);
            }
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

    #[test]
    fn a_map_and_a_flattened_choice_have_no_strict_form() {
        for (schema, place) in [
            (
                json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
                "at its root",
            ),
            (
                json!({ "type": "object", "properties": { "a": { "type": "object" } } }),
                "at `/properties/a`",
            ),
            (
                json!({ "type": "object", "properties": {}, "oneOf": [{ "type": "object" , "properties": {}}] }),
                "at its root",
            ),
            (
                json!({ "$defs": { "D": { "type": "object", "properties": {}, "additionalProperties": true } } }),
                "at `/$defs/D`",
            ),
            (json!({ "allOf": [{ "type": "object", "properties": {} }, {}] }), "at its root"),
            (json!({ "properties": {}, "required": ["a"] }), "at its root"),
            (json!({ "items": { "properties": { "a": false } } }), "at `/items`"),
            (json!({ "properties": { "a": { "not": {} } } }), "at `/properties/a`"),
        ] {
            let reason = try_strict_form(&schema).unwrap_err();
            assert!(reason.starts_with(place), "{schema}: {reason}");
            assert_eq!(strict_form(&schema), schema);
        }
    }

    #[test]
    fn forms_that_take_each_others_values_have_no_strict_form() {
        let object = |names: &[&str], required: &[&str]| {
            let properties: Map<_, _> = names
                .iter()
                .map(|name| ((*name).to_owned(), json!({ "type": "integer" })))
                .collect();
            json!({ "type": "object", "properties": properties, "required": required })
        };
        let has_form =
            |one: Value, other: Value| try_strict_form(&json!({ "anyOf": [one, other] })).is_ok();
        assert!(!has_form(object(&["x"], &["x"]), object(&["x", "y"], &["x"])));
        assert!(has_form(object(&["x", "y"], &["x", "y"]), object(&["x"], &["x"])));
        assert!(has_form(object(&["x"], &["x"]), object(&["y"], &["y"])));
        let tagged = |tag: &str| json!({ "type": "object", "required": ["t"], "properties": { "t": { "const": tag }, tag: {} } });
        assert!(has_form(tagged("a"), tagged("b")));
    }

    #[test]
    fn null_is_allowed_beside_every_keyword_that_chooses() {
        let optional = |schema: Value| {
            let whole = json!({ "type": "object", "properties": { "a": schema } });
            strict_form(&whole)["properties"]["a"].clone()
        };
        assert_eq!(
            optional(json!({ "type": "string", "const": "x" })),
            json!({ "anyOf": [{ "type": "string", "const": "x" }, { "type": "null" }] })
        );
        assert_eq!(
            optional(json!({ "type": "string", "enum": ["x"] })),
            json!({ "type": ["string", "null"], "enum": ["x", null] })
        );
        assert_eq!(optional(json!({ "enum": ["x"] })), json!({ "enum": ["x", null] }));
        assert_eq!(
            optional(json!({ "oneOf": [{ "type": "integer" }] })),
            json!({ "anyOf": [{ "oneOf": [{ "type": "integer" }] }, { "type": "null" }] })
        );
    }
}
