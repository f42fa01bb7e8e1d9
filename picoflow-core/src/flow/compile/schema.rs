//! What a handler reads against what the model is told.

use serde_json::{Map, Value};

/// Why arguments that fit `told` may not fit `reads`, as far as the top level shows.
pub(super) fn mismatch(reads: &Value, told: &Value) -> Option<String> {
    let told_fields = fields(told)?;
    let read_fields = fields(reads)?;
    let required = reads.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|&field| !told_fields.contains_key(field));
    if let Some(field) = missing {
        return Some(format!("it requires the field `{field}`, which the definition lacks"));
    }
    read_fields.iter().find_map(|(field, read)| {
        let read = read.get("type")?;
        let told = told_fields.get(field)?.get("type")?;
        (!overlap(read, told))
            .then(|| format!("it reads `{field}` as {read}, while the definition says {told}"))
    })
}

fn fields(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// Whether two `type` keywords have a type in common. Integers are numbers.
fn overlap(a: &Value, b: &Value) -> bool {
    let names = |kind: &Value| -> Vec<String> {
        let list = kind.as_array().cloned().unwrap_or_else(|| vec![kind.clone()]);
        let names = list.iter().filter_map(Value::as_str);
        names.map(|name| name.replace("integer", "number")).collect()
    };
    let b = names(b);
    names(a).iter().any(|name| b.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_required_field_that_is_not_told_is_a_mismatch() {
        let reads = json!({ "properties": { "a": { "type": "string" } }, "required": ["a"] });
        let reason = mismatch(&reads, &json!({ "properties": {} })).unwrap();
        assert!(reason.contains("`a`"), "{reason}");
    }

    #[test]
    fn another_type_is_a_mismatch_and_a_wider_one_is_not() {
        let reads = json!({ "properties": { "a": { "type": ["integer", "null"] } } });
        assert!(
            mismatch(&reads, &json!({ "properties": { "a": { "type": "string" } } })).is_some()
        );
        assert_eq!(mismatch(&reads, &json!({ "properties": { "a": { "type": "number" } } })), None);
        assert_eq!(mismatch(&reads, &json!({ "properties": { "a": {} } })), None);
    }
}
