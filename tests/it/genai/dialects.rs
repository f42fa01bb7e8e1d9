//! Tools, choices and schemas in the form of each provider.

use super::{
    ask, model_at,
    requests::sent,
    server::{Answer, Server},
};
use picoflow::{
    genai::Protocol,
    model::{ChatModel, ChatRequest, ToolChoice},
    prelude::*,
    schema_of,
};
use std::sync::Arc;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Order {
    #[schemars(length(min = 1))]
    item: String,
    count: Option<u8>,
}

fn with_tools(
    mut request: ChatRequest,
    tools: impl IntoIterator<Item = ToolDefinition>,
) -> ChatRequest {
    request.tools = tools.into_iter().map(Arc::new).collect();
    request
}

#[tokio::test]
async fn tools_are_told_in_each_providers_form() {
    let hi = [json!({ "type": "human", "content": "Hi" })];
    for (provider, protocol, schema, strict) in [
        (
            "openai",
            Protocol::OpenAiChat,
            "/tools/0/function/parameters",
            "/tools/0/function/strict",
        ),
        ("openai-responses", Protocol::OpenAiResponses, "/tools/0/parameters", "/tools/0/strict"),
        ("anthropic", Protocol::Anthropic, "/tools/0/input_schema", ""),
        ("gemini", Protocol::Gemini, "/tools/0/functionDeclarations/0/parametersJsonSchema", ""),
        ("ollama", Protocol::Ollama, "/tools/0/function/parameters", ""),
    ] {
        let tool = ToolDefinition::of::<Order>("order", "Order something");
        let request = with_tools(ask(provider, "m", &hi), [tool.clone()]);
        let body = sent(provider, protocol, request).await;
        let told = body.pointer(schema).unwrap();
        assert_eq!(told["type"], "object", "{provider}");
        assert_eq!(told["required"], json!(["item"]), "{provider}");
        assert!(told["properties"]["count"].is_object(), "{provider}");
        let request = with_tools(ask(provider, "m", &hi), [tool.strict()]);
        let body = sent(provider, protocol, request).await;
        let told = body.pointer(schema).unwrap();
        assert!(told["properties"]["count"].is_object(), "{provider}");
        if !strict.is_empty() {
            assert_eq!(body.pointer(strict), Some(&json!(true)));
            assert_eq!(told["required"], json!(["item", "count"]));
            assert_eq!(told["additionalProperties"], false);
            assert_eq!(told["properties"]["item"], json!({ "type": "string" }));
            assert_eq!(told["properties"]["count"]["type"], json!(["integer", "null"]));
        }
    }
}

#[tokio::test]
async fn the_choice_of_a_tool_is_told_in_each_providers_form() {
    let hi = [json!({ "type": "human", "content": "Hi" })];
    for (provider, protocol, path, must, must_not) in [
        ("openai", Protocol::OpenAiChat, "/tool_choice", json!("required"), json!("none")),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            "/tool_choice",
            json!("required"),
            json!("none"),
        ),
        ("anthropic", Protocol::Anthropic, "/tool_choice/type", json!("any"), json!("none")),
        (
            "gemini",
            Protocol::Gemini,
            "/toolConfig/functionCallingConfig/mode",
            json!("ANY"),
            json!("NONE"),
        ),
    ] {
        for (choice, word) in [
            (ToolChoice::Auto, None),
            (ToolChoice::Required, Some(&must)),
            (ToolChoice::None, Some(&must_not)),
        ] {
            let tool = ToolDefinition::new("t", "T", json!({ "type": "object" }));
            let mut request = with_tools(ask(provider, "m", &hi), [tool]);
            request.tool_choice = choice;
            assert_eq!(sent(provider, protocol, request).await.pointer(path), word, "{provider}");
            // Without tools there is nothing to choose.
            let mut request = ask(provider, "m", &hi);
            request.tool_choice = choice;
            assert_eq!(sent(provider, protocol, request).await.pointer(path), None, "{provider}");
        }
    }
}

#[tokio::test]
async fn a_schema_for_the_reply_is_told_in_each_providers_form() {
    let hi = [json!({ "type": "human", "content": "Hi" })];
    let schema = schema_of::<Order>();
    for (provider, protocol, path) in [
        ("openai", Protocol::OpenAiChat, "/response_format/json_schema/schema"),
        ("openai-responses", Protocol::OpenAiResponses, "/text/format/schema"),
        ("anthropic", Protocol::Anthropic, "/output_config/format/schema"),
        ("gemini", Protocol::Gemini, "/generationConfig/responseJsonSchema"),
    ] {
        let mut request = ask(provider, "m", &hi);
        request.output_schema = Some(schema.clone());
        let body = sent(provider, protocol, request).await;
        let told = body.pointer(path).unwrap_or_else(|| panic!("{provider}: {body}"));
        assert!(told["properties"]["item"].is_object() && told["properties"]["count"].is_object());
        // What has no strict form is told as it is.
        let mut request = ask(provider, "m", &hi);
        request.output_schema =
            Some(json!({ "type": "object", "additionalProperties": { "type": "number" } }));
        let told = sent(provider, protocol, request).await;
        assert_eq!(
            told.pointer(path).unwrap()["additionalProperties"]["type"],
            "number",
            "{provider}"
        );
    }
    let mut request = ask("ollama", "m", &hi);
    request.output_schema = Some(schema);
    let body = sent("ollama", Protocol::Ollama, request).await;
    assert_eq!(body["format"], "json");
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("\"count\""));
}

#[tokio::test]
async fn null_for_an_optional_field_of_a_strict_reply_means_that_it_is_absent() {
    let text = r#"{"item":"pen","size":null}"#;
    let body = json!({ "choices": [{ "index": 0, "message": { "content": text }, "finish_reason": "stop" }] });
    let server = Server::start([Answer::json(&body)]).await;
    let mut request = ask("openai", "m", &[json!({ "type": "human", "content": "Hi" })]);
    request.output_schema = Some(json!({
        "type": "object", "required": ["item"],
        "properties": { "item": { "type": "string" }, "size": { "type": "integer" } }
    }));
    let reply = model_at("openai", Protocol::OpenAiChat, &server).generate(request).await.unwrap();
    assert_eq!(reply.text, r#"{"item":"pen"}"#);
}

#[tokio::test]
async fn a_tool_that_is_named_like_one_of_the_provider_stays_the_users() {
    let called = json!({
        "model": "m", "stop_reason": "tool_use", "usage": { "input_tokens": 1, "output_tokens": 1 },
        "content": [{ "type": "tool_use", "id": "1", "name": "web_search_tool", "input": { "q": "x" } }]
    });
    let server = Server::start([Answer::json(&called)]).await;
    let tool = ToolDefinition::new("web_search", "Search", json!({ "type": "object" }));
    let messages = [
        json!({ "type": "human", "content": "Hi" }),
        json!({ "type": "ai", "tool_calls": [{ "id": "0", "name": "web_search", "args": {} }] }),
        json!({ "type": "tool", "content": "ok", "tool_call_id": "0", "name": "web_search" }),
    ];
    let request = with_tools(ask("anthropic", "m", &messages), [tool]);
    let reply =
        model_at("anthropic", Protocol::Anthropic, &server).generate(request).await.unwrap();
    assert_eq!(reply.tool_calls[0].name(), "web_search");
    let body = server.last().body;
    assert_eq!(body["tools"][0]["name"], "web_search_tool");
    assert_eq!(body["tools"][0].get("type"), None);
    assert_eq!(body["messages"][1]["content"][0]["name"], "web_search_tool");
}
