//! Groups of fields that are there together or not at all.

use super::schema::referred;
use serde_json::{Map, Value, json};
use std::{borrow::Cow, collections::BTreeSet};

/// The schema with each group of fields that may be left out held to its type: `#[serde(flatten)]` of an `Option` is told as
/// `anyOf: [{…}, {}]`, which takes everything, and a group that does not fit would be read as none without a word. In its place
/// the second branch asks that no field of the group has a value.
pub(super) fn closed_groups(schema: &Value) -> Cow<'_, Value> {
    if !has_groups(schema) {
        return Cow::Borrowed(schema);
    }
    let mut closed = schema.clone();
    close(&mut closed, schema);
    Cow::Owned(closed)
}

fn has_groups(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => group(map).is_some() || map.values().any(has_groups),
        Value::Array(items) => items.iter().any(has_groups),
        _ => false,
    }
}

/// The branch of a choice between a group and anything.
fn group(map: &Map<String, Value>) -> Option<&Value> {
    match map.get("anyOf")?.as_array()?.as_slice() {
        [group, Value::Object(any)] if any.is_empty() && map.contains_key("type") => Some(group),
        _ => None,
    }
}

fn close(schema: &mut Value, root: &Value) {
    match schema {
        Value::Object(map) => {
            if let Some(group) = group(map) {
                let mut names = BTreeSet::new();
                collect(group, root, &mut names, MAX_DEPTH);
                let none = names.into_iter().map(|name| (name, json!({ "type": "null" })));
                let none: Map<String, Value> = none.collect();
                if let Some(any) = map.get_mut("anyOf").and_then(|choice| choice.get_mut(1)) {
                    *any = json!({ "properties": none });
                }
            }
            map.values_mut().for_each(|schema| close(schema, root));
        }
        Value::Array(items) => items.iter_mut().for_each(|schema| close(schema, root)),
        _ => {}
    }
}

/// How far references and choices are followed.
const MAX_DEPTH: usize = 16;

/// The names of a group's fields.
fn collect(schema: &Value, root: &Value, names: &mut BTreeSet<String>, depth: usize) {
    let (Some(map), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
        return;
    };
    let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten();
    names.extend(properties.map(|(name, _)| name.clone()));
    let target = referred(map, root).map(|(_, target)| target);
    let lists =
        ["anyOf", "oneOf", "allOf"].iter().filter_map(|keyword| map.get(*keyword)?.as_array());
    for schema in target.into_iter().chain(lists.flatten()) {
        collect(schema, root, names, depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_whole_or_absent() {
        let addr = json!({ "type": "object", "properties": { "street": {}, "zip": {} }, "required": ["street", "zip"] });
        let schema = json!({ "type": "object", "properties": { "id": {} }, "anyOf": [{ "$ref": "#/$defs/Addr" }, {}], "$defs": { "Addr": addr } });
        let expected =
            json!({ "properties": { "street": { "type": "null" }, "zip": { "type": "null" } } });
        assert_eq!(closed_groups(&schema)["anyOf"][1], expected);
        let plain = json!({ "anyOf": [{ "type": "string" }, {}] });
        assert_eq!(*closed_groups(&plain), plain);
    }
}
