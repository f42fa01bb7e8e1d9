//! What models write where the schema wants something slightly else.

use super::{ToolCall, ToolDefinition};
use serde_json::{Number, Value};

/// How deep a schema is followed: deeper values are left as they are.
const MOST_DEPTH: usize = 64;

/// Brings the arguments of `call` closer to the tool's schema, without guessing: `null` for an optional property that
/// knows no `null` means that it is absent, and, if the tool is lenient, a number in a string is that number. Anything
/// else stays as it is and fails where it is checked.
pub(crate) fn fit(call: &mut ToolCall, tool: &ToolDefinition) {
    let has_null = call.arguments().contains("null");
    if !has_null && !tool.is_lenient() {
        return;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(call.arguments()) else {
        return;
    };
    let fitter = Fitter { root: tool.schema(), is_lenient: tool.is_lenient() };
    if fitter.fit(&mut value, tool.schema(), MOST_DEPTH) {
        call.set_arguments(value.to_string());
    }
}

/// Takes `null` for an optional property that knows no `null` out of `value`. Returns whether there was one.
pub fn without_absent(value: &mut Value, schema: &Value) -> bool {
    Fitter { root: schema, is_lenient: false }.fit(value, schema, MOST_DEPTH)
}

struct Fitter<'a> {
    root: &'a Value,
    is_lenient: bool,
}

impl Fitter<'_> {
    /// Returns whether anything changed.
    fn fit(&self, value: &mut Value, schema: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let schema = self.resolve(schema);
        match value {
            Value::Object(map) => {
                let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                    return false;
                };
                let before = map.len();
                map.retain(|name, value| {
                    let property = properties.get(name);
                    let is_absent =
                        |property| !is_required(schema, name) && !self.takes_null(property);
                    !(value.is_null() && property.is_some_and(is_absent))
                });
                let mut is_changed = map.len() != before;
                for (name, value) in map.iter_mut() {
                    if let Some(property) = properties.get(name) {
                        is_changed |= self.fit(value, property, depth);
                    }
                }
                is_changed
            }
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else {
                    return false;
                };
                let fit = |changed, item: &mut Value| self.fit(item, schema, depth) | changed;
                items.iter_mut().fold(false, fit)
            }
            Value::String(text) if self.is_lenient => match number(text, schema) {
                Some(number) => {
                    *value = Value::Number(number);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The schema behind local references, and behind the choice between one schema and `null`.
    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        for _ in 0..MOST_DEPTH {
            let reference = schema.get("$ref").and_then(Value::as_str);
            let next = match reference.and_then(|path| path.strip_prefix('#')) {
                Some(path) => self.root.pointer(path),
                None => only_choice(schema),
            };
            match next {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }

    fn takes_null(&self, schema: &Value) -> bool {
        let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
        if let Some(choices) = choices {
            return choices.iter().any(|choice| self.takes_null(choice));
        }
        let schema = self.resolve(schema);
        match (schema.get("type"), schema.get("enum")) {
            (Some(kind), _) => names(kind).any(|name| name == "null"),
            (None, Some(values)) => values.as_array().is_some_and(|all| all.contains(&Value::Null)),
            // Nothing is said, so anything goes.
            (None, None) => schema.get("const").is_none_or(Value::is_null),
        }
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// The one schema of a choice that is not `null`.
fn only_choice(schema: &Value) -> Option<&Value> {
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    let is_null = |choice: &&Value| choice.get("type").is_some_and(|kind| kind == "null");
    let mut others = choices.iter().filter(|choice| !is_null(choice));
    let only = others.next()?;
    others.next().is_none().then_some(only)
}

/// The types that a `type` keyword names.
fn names(kind: &Value) -> impl Iterator<Item = &str> {
    let many = kind.as_array().into_iter().flatten();
    many.chain(Some(kind)).filter_map(Value::as_str)
}

/// The number in `text`, if the schema wants one and no string.
fn number(text: &str, schema: &Value) -> Option<Number> {
    let kind = schema.get("type")?;
    let has = |wanted| names(kind).any(|name| name == wanted);
    if has("string") || !(has("number") || has("integer")) {
        return None;
    }
    let number: Number = serde_json::from_str(text.trim()).ok()?;
    (has("number") || !number.is_f64()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Order {
        item: String,
        #[schemars(default)]
        count: u32,
        note: Option<String>,
        parts: Vec<Part>,
        best: Option<Part>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Part {
        weight: f64,
        #[schemars(default)]
        size: u8,
    }

    fn fitted(tool: &ToolDefinition, arguments: &Value) -> Value {
        let mut call = ToolCall::new("1", "order", arguments);
        fit(&mut call, tool);
        serde_json::from_str(call.arguments()).unwrap()
    }

    #[test]
    fn null_for_an_optional_property_means_that_it_is_absent() {
        let tool = ToolDefinition::of::<Order>("order", "Order");
        let arguments = json!({
            "item": null, "count": null, "note": null,
            "parts": [{ "weight": null, "size": null }], "best": { "weight": 1.0, "size": null }
        });
        assert_eq!(
            fitted(&tool, &arguments),
            // What is required stays and fails; what may be `null` stays and is.
            json!({ "item": null, "note": null, "parts": [{ "weight": null }], "best": { "weight": 1.0 } })
        );
    }

    #[test]
    fn numbers_in_strings_are_numbers_only_for_a_lenient_tool() {
        let arguments = json!({ "item": "5", "count": "5", "parts": [{ "weight": " 1.5 " }], "best": { "weight": "2" } });
        let tool = ToolDefinition::of::<Order>("order", "Order");
        assert_eq!(fitted(&tool, &arguments), arguments);
        assert_eq!(
            fitted(&tool.lenient(), &arguments),
            json!({ "item": "5", "count": 5, "parts": [{ "weight": 1.5 }], "best": { "weight": 2 } })
        );
    }

    #[test]
    fn what_is_no_number_of_the_right_kind_stays_a_string() {
        let tool = ToolDefinition::of::<Order>("order", "Order").lenient();
        for count in ["5.5", "five", "", "0x5", "NaN", "5 items"] {
            let arguments = json!({ "item": "a", "count": count, "parts": [] });
            assert_eq!(fitted(&tool, &arguments), arguments);
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema =
            json!({ "type": "object", "properties": { "a": { "$ref": "#/properties/a" } } });
        let tool = ToolDefinition::new("t", "T", schema).lenient();
        assert_eq!(fitted(&tool, &json!({ "a": "1" })), json!({ "a": "1" }));
    }
}
