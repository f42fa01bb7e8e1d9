//! Thousands of schemas that others wrote, of the Berkeley function calling leaderboard, in the form of each provider.

use super::{
    ask, model_at,
    server::{Answer, Server},
};
use crate::support::prepared;
use picoflow::{ToolDefinition, genai::Protocol, model::ChatModel, strict_form};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Arc,
};

/// The functions, each once, with their types renamed to those of JSON Schema.
fn functions(path: &str) -> Vec<ToolDefinition> {
    let mut functions = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let function: Value = serde_json::from_str(line).unwrap();
        let name =
            function["name"].as_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let description = function["description"].as_str().unwrap_or_default();
        let mut schema = function["parameters"].clone();
        rename(&mut schema);
        let name = name.get(..64).unwrap_or(&name).to_owned();
        functions.insert(schema.to_string(), ToolDefinition::new(name, description, schema));
    }
    functions.into_values().collect()
}

fn rename(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    if let Some(kind) = map.get("type").and_then(Value::as_str) {
        let renamed = match kind {
            "dict" | "HashMap" | "Hashtable" | "object" => Some("object"),
            "float" | "double" | "number" => Some("number"),
            "tuple" | "list" | "ArrayList" | "Array" | "array" => Some("array"),
            "String" | "string" | "char" => Some("string"),
            "int" | "long" | "short" | "byte" | "integer" | "Bigint" => Some("integer"),
            "Boolean" | "boolean" | "bool" => Some("boolean"),
            _ => None,
        };
        match renamed {
            Some(kind) => map.insert("type".to_owned(), json!(kind)),
            None => map.remove("type"),
        };
    }
    for (keyword, value) in map.iter_mut() {
        match (&**keyword, value) {
            ("properties", Value::Object(all)) => all.values_mut().for_each(rename),
            ("items" | "additionalProperties", inner) => rename(inner),
            _ => {}
        }
    }
}

/// The paths of all properties of a schema.
fn properties(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    let none = Map::new();
    for (name, inner) in schema.get("properties").and_then(Value::as_object).unwrap_or(&none) {
        let path = format!("{path}/{name}");
        properties(inner, &path, found);
        found.insert(path);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(keyword) {
            properties(inner, &format!("{path}/{keyword}"), found);
        }
    }
    for choice in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        properties(choice, path, found);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(
    not(prepared = "simulators"),
    ignore = "needs the simulators: run scripts/simulators cargo test"
)]
async fn no_dialect_loses_a_property() {
    let functions = functions(&prepared("PICOFLOW_TEST_SCHEMAS", "scripts/simulators"));
    assert!(functions.len() > 3_000, "{}", functions.len());
    let server = Server::start([Answer::new(400, "text/plain", "No.")]).await;
    for (provider, protocol, list, schema, strict) in [
        ("openai", Protocol::OpenAiChat, "/tools", "/function/parameters", "/function/strict"),
        ("openai-responses", Protocol::OpenAiResponses, "/tools", "/parameters", "/strict"),
        ("anthropic", Protocol::Anthropic, "/tools", "/input_schema", ""),
        ("gemini", Protocol::Gemini, "/tools/0/functionDeclarations", "/parametersJsonSchema", ""),
        ("ollama", Protocol::Ollama, "/tools", "/function/parameters", ""),
    ] {
        let model = model_at(provider, protocol, &server);
        let mut held = 0;
        for is_strict in [false, true] {
            for batch in functions.chunks(200) {
                let tools = batch.iter().map(|tool| {
                    let told =
                        if is_strict { strict_form(tool.schema()) } else { tool.schema().clone() };
                    let told = ToolDefinition::new(tool.name(), tool.description(), told);
                    Arc::new(if is_strict { told.strict() } else { told })
                });
                let mut request =
                    ask(provider, "m", &[json!({ "type": "human", "content": "Hi" })]);
                request.tools = tools.collect();
                assert!(model.generate(request).await.is_err());
                let sent = server.last().body;
                let sent = sent.pointer(list).and_then(Value::as_array).unwrap();
                assert_eq!(sent.len(), batch.len());
                for (tool, sent) in batch.iter().zip(sent) {
                    let [mut wanted, mut told] = [BTreeSet::new(), BTreeSet::new()];
                    properties(tool.schema(), "", &mut wanted);
                    properties(sent.pointer(schema).unwrap(), "", &mut told);
                    assert_eq!(told, wanted, "{provider} {}: {sent}", tool.name());
                    held += usize::from(sent.pointer(strict) == Some(&json!(true)));
                }
            }
        }
        println!("{provider}: {held} of {} in the strict form", functions.len());
        assert_eq!(held > functions.len() / 2, !strict.is_empty(), "{provider}: {held}");
    }
}
