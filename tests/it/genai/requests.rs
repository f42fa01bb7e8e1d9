//! What providers are sent: the order of messages, parameters, and what they get back of their own.

use super::{
    ask, collect, model_at, model_of,
    server::{Answer, Server},
};
use picoflow::{
    genai::Protocol,
    model::{ChatModel, ChatRequest},
    prelude::*,
};

/// What a provider of this name is sent.
pub(super) async fn sent(provider: &str, protocol: Protocol, request: ChatRequest) -> Value {
    let server = Server::start([Answer::new(400, "text/plain", "No.")]).await;
    let model = model_at(provider, protocol, &server);
    drop(model.generate(request.clone()).await);
    let (_, _) = collect(model.stream(request)).await;
    let [whole, mut streamed] = <[_; 2]>::try_from(server.asked()).unwrap();
    let mut body = whole.body;
    // A stream differs in this alone.
    for fields in [&mut body, &mut streamed.body] {
        let fields = fields.as_object_mut().unwrap();
        fields.remove("stream");
        fields.remove("stream_options");
    }
    assert_eq!(body, streamed.body);
    body
}

/// A hand-off in a shared history: system texts, a call and its answer, the next step's prompt, a text of a handler, a
/// nudge behind an answer.
fn conversation() -> Vec<Value> {
    vec![
        json!({ "type": "system", "content": "You are a clerk." }),
        json!({ "type": "system", "content": "Summary of the conversation so far:\nHello.", "additional_kwargs": { "summary": true } }),
        json!({ "type": "human", "content": "Ann, 7 July." }),
        json!({ "type": "ai", "content": "Noted.", "tool_calls": [
            { "id": "toolu_1", "name": "name", "args": { "name": "Ann" } },
            { "id": "call#dob#0", "name": "dob", "args": "{\"month\":" },
        ] }),
        json!({ "type": "tool", "content": "ok", "tool_call_id": "toolu_1", "name": "name" }),
        json!({ "type": "tool", "content": "no JSON", "tool_call_id": "call#dob#0", "name": "dob", "status": "error" }),
        json!({ "type": "human", "content": "Follow system prompt." }),
        json!({ "type": "ai", "content": "One moment.", "additional_kwargs": { "direct": true } }),
        json!({ "type": "ai", "content": "", "tool_calls": [{ "id": "c3", "name": "ping", "args": {} }] }),
        json!({ "type": "tool", "content": "pong", "tool_call_id": "c3", "name": "ping" }),
    ]
}

#[tokio::test]
async fn openai_chat_gets_every_message_in_its_place() {
    let body = sent("openai", Protocol::OpenAiChat, ask("openai", "m", &conversation())).await;
    let call = |id: &str, name: &str, arguments: &str| json!({ "type": "function", "id": id, "function": { "name": name, "arguments": arguments } });
    let dob = body["messages"][2]["tool_calls"][1]["id"].clone();
    assert!(!dob.as_str().unwrap().contains('#'));
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "You are a clerk.\n\nSummary of the conversation so far:\nHello." },
            { "role": "user", "content": "Ann, 7 July." },
            { "role": "assistant", "content": "Noted.", "tool_calls": [
                call("toolu_1", "name", r#"{"name":"Ann"}"#), call(dob.as_str().unwrap(), "dob", "{}"),
            ] },
            { "role": "tool", "content": "ok", "tool_call_id": "toolu_1" },
            { "role": "tool", "content": "no JSON", "tool_call_id": dob },
            { "role": "user", "content": "Follow system prompt." },
            { "role": "assistant", "content": "One moment." },
            { "role": "assistant", "content": "", "tool_calls": [call("c3", "ping", "{}")] },
            { "role": "tool", "content": "pong", "tool_call_id": "c3" },
        ])
    );
    assert_eq!(body.get("tools"), None);
    assert_eq!(body.get("tool_choice"), None);
}

#[tokio::test]
async fn openai_responses_get_items() {
    let request = ask("openai-responses", "gpt-4o", &conversation());
    let body = sent("openai-responses", Protocol::OpenAiResponses, request).await;
    assert_eq!(
        body["instructions"],
        "You are a clerk.\n\nSummary of the conversation so far:\nHello."
    );
    let kinds: Vec<_> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            item.get("type").or_else(|| item.get("role")).unwrap().as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "user",
            "message",
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
            "user",
            "message",
            "function_call",
            "function_call_output"
        ]
    );
    assert_eq!(body["store"], false);
    // A model that does not think refuses to be asked for its thoughts.
    assert_eq!((body.get("reasoning"), body.get("include")), (None, None));
}

#[tokio::test]
async fn anthropic_gets_turns_that_alternate_and_all_results_in_one() {
    let body = sent("anthropic", Protocol::Anthropic, ask("anthropic", "m", &conversation())).await;
    assert_eq!(body["system"], "You are a clerk.\n\nSummary of the conversation so far:\nHello.");
    let dob = body["messages"][1]["content"][2]["id"].clone();
    assert!(
        dob.as_str().unwrap().chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    );
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": "Ann, 7 July." },
            { "role": "assistant", "content": [
                { "type": "text", "text": "Noted." },
                { "type": "tool_use", "id": "toolu_1", "name": "name", "input": { "name": "Ann" } },
                { "type": "tool_use", "id": dob, "name": "dob", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_1", "content": "ok" },
                { "type": "tool_result", "tool_use_id": dob, "content": "no JSON" },
            ] },
            { "role": "user", "content": "Follow system prompt." },
            { "role": "assistant", "content": [
                { "type": "text", "text": "One moment." },
                { "type": "tool_use", "id": "c3", "name": "ping", "input": {} },
            ] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c3", "content": "pong" }] },
        ])
    );
    assert!(body["max_tokens"].as_u64().is_some());
}

#[tokio::test]
async fn gemini_gets_names_with_the_answers_and_its_own_form_of_ids() {
    let body = sent("gemini", Protocol::Gemini, ask("gemini", "m", &conversation())).await;
    let system = "You are a clerk.\n\nSummary of the conversation so far:\nHello.";
    assert_eq!(body["systemInstruction"], json!({ "parts": [{ "text": system }] }));
    let roles: Vec<_> =
        body["contents"].as_array().unwrap().iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user", "model", "user", "user", "model", "user"]);
    let answers = &body["contents"][2]["parts"];
    assert_eq!(answers[0]["functionResponse"]["name"], "name");
    assert_eq!(answers[1]["functionResponse"]["name"], "dob");
    // An id that genai made up stays at home.
    assert_eq!(answers[1]["functionResponse"].get("id"), None);
    assert_eq!(
        body["contents"][1]["parts"][2]["functionCall"],
        json!({ "name": "dob", "args": {} })
    );
}

#[tokio::test]
async fn mistral_gets_a_word_between_an_answer_and_the_user_and_ids_of_nine() {
    let body = sent("mistral", Protocol::OpenAiChat, ask("mistral", "m", &conversation())).await;
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool"]
    );
    let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.chars().all(|letter| letter.is_ascii_alphanumeric()), "{id}");
    assert_eq!(messages[3]["tool_call_id"], id);
}

#[tokio::test]
async fn ollama_gets_one_answer_a_message() {
    let body = sent("ollama", Protocol::Ollama, ask("ollama", "m", &conversation())).await;
    let messages = body["messages"].as_array().unwrap();
    let tools: Vec<_> = messages.iter().filter(|one| one["role"] == "tool").collect();
    assert_eq!(tools.len(), 3);
    assert_eq!(tools[1]["content"], "no JSON");
}

#[tokio::test]
async fn a_history_that_begins_or_ends_with_the_model_gets_a_user() {
    let messages = [json!({ "type": "ai", "content": "Hello." })];
    for (provider, protocol, path) in [
        ("anthropic", Protocol::Anthropic, "messages"),
        ("gemini", Protocol::Gemini, "contents"),
        ("mistral", Protocol::OpenAiChat, "messages"),
    ] {
        let body = sent(provider, protocol, ask(provider, "m", &messages)).await;
        let roles: Vec<_> = body[path]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["role"].as_str().unwrap())
            .collect();
        assert!(matches!(*roles, ["user", "assistant" | "model", "user"]), "{provider}: {roles:?}");
        let empty = sent(provider, protocol, ask(provider, "m", &[])).await;
        assert_eq!(empty[path][0]["role"], "user", "{provider}");
    }
}

#[tokio::test]
async fn parameters_are_told_by_the_names_of_the_provider() {
    let hi = [json!({ "type": "human", "content": "Hi" })];
    let named = |provider| {
        let model = ModelRef::new(provider, "m");
        model
            .param("temperature", 0.5)
            .param("max_tokens", 50)
            .param("stop", "END")
            .param("seed", 7)
    };
    let mut request = ask("mistral", "m", &hi);
    request.model = named("mistral").param("safe_prompt", true);
    let body = sent("mistral", Protocol::OpenAiChat, request).await;
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.5), &json!(50)));
    assert_eq!((&body["random_seed"], &body["safe_prompt"]), (&json!(7), &json!(true)));
    let mut request = ask("gemini", "m", &hi);
    request.model = named("gemini");
    let body = sent("gemini", Protocol::Gemini, request).await;
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 50);
    assert_eq!(body["generationConfig"]["stopSequences"], json!(["END"]));
    // The end of a name is not an effort.
    let body = sent("local", Protocol::OpenAiChat, ask("local", "qwen-max", &hi)).await;
    assert_eq!((&body["model"], body.get("reasoning_effort")), (&json!("qwen-max"), None));
    let mut request = ask("openai", "o4-mini", &hi);
    request.model = ModelRef::new("openai", "o4-mini").param("reasoning_effort", "low");
    let body = sent("openai", Protocol::OpenAiChat, request).await;
    assert_eq!(body["reasoning_effort"], "low");
}

#[tokio::test]
async fn a_parameter_that_cannot_be_told_is_an_error() {
    let hi = [json!({ "type": "human", "content": "Hi" })];
    let server = Server::start([Answer::new(400, "text/plain", "No.")]).await;
    for (provider, protocol, name, value) in [
        ("openai", Protocol::OpenAiChat, "temperature", json!("warm")),
        ("openai", Protocol::OpenAiChat, "reasoning_effort", json!("much")),
        ("ollama", Protocol::Ollama, "num_ctx", json!(4096)),
    ] {
        let mut request = ask(provider, "m", &hi);
        request.model = ModelRef::new(provider, "m").param(name, value);
        let error = model_at(provider, protocol, &server).generate(request).await.unwrap_err();
        assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
    }
    assert!(server.asked().is_empty());
}

/// A message with calls that keeps what a provider of this name and model wants back.
fn thoughtful(provider: &str, kept: &Value) -> Vec<Value> {
    let mut kept = kept.clone();
    kept["provider"] = json!(provider);
    kept["model"] = json!("m");
    vec![
        json!({ "type": "human", "content": "Hi" }),
        json!({ "type": "ai", "content": "Let me see.", "tool_calls": [{ "id": "c1", "name": "t", "args": {} }],
                "additional_kwargs": { "reasoning": kept } }),
        json!({ "type": "tool", "content": "ok", "tool_call_id": "c1", "name": "t" }),
    ]
}

#[tokio::test]
async fn a_provider_gets_back_what_it_thought_and_nobody_else_does() {
    let signed = json!({ "parts": [{ "signature": "sealed" }, { "text": "thought" }] });
    let of_call = json!({ "parts": [], "calls": [["sealed"]] });
    let sealed = json!({ "parts": [{ "signature": "sealed" }] });
    let block =
        json!({ "parts": [{ "block": { "type": "reasoning.encrypted", "data": "sealed" } }] });
    let text = json!({ "parts": [{ "text": "sealed" }] });
    for (provider, protocol, kept, path, wanted) in [
        (
            "anthropic",
            Protocol::Anthropic,
            signed,
            "/messages/1/content/0",
            json!({ "type": "thinking", "thinking": "thought", "signature": "sealed" }),
        ),
        (
            "gemini",
            Protocol::Gemini,
            of_call,
            "/contents/1/parts/1/thoughtSignature",
            json!("sealed"),
        ),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            sealed,
            "/input/1",
            json!({ "type": "reasoning", "encrypted_content": "sealed", "summary": [] }),
        ),
        (
            "openrouter",
            Protocol::OpenAiChat,
            block,
            "/messages/1/reasoning_details/0",
            json!({ "type": "reasoning.encrypted", "data": "sealed" }),
        ),
        ("deepseek", Protocol::OpenAiChat, text, "/messages/1/reasoning_content", json!("sealed")),
    ] {
        let body = sent(provider, protocol, ask(provider, "m", &thoughtful(provider, &kept))).await;
        assert_eq!(body.pointer(path), Some(&wanted), "{provider}: {body}");
        // Another provider's, or another model's.
        let foreign = ask(provider, "m", &thoughtful("another", &kept));
        assert!(
            !sent(provider, protocol, foreign).await.to_string().contains("sealed"),
            "{provider}"
        );
        let other = ask(provider, "m2", &thoughtful(provider, &kept));
        assert!(
            !sent(provider, protocol, other).await.to_string().contains("sealed"),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn images_of_the_user_are_shown_in_each_providers_form() {
    let shows = |images: Value| {
        [
            json!({ "type": "human", "content": "What is it?", "additional_kwargs": { "images": images } }),
        ]
    };
    let data = shows(json!([{ "mediaType": "image/png", "data": "aWNvbg==" }]));
    let link = shows(json!([{ "mediaType": "image/png", "url": "https://example.com/cat.png" }]));
    for (provider, protocol, path, of_data, of_link) in [
        (
            "openai",
            Protocol::OpenAiChat,
            "/messages/0/content/1/image_url/url",
            json!("data:image/png;base64,aWNvbg=="),
            json!("https://example.com/cat.png"),
        ),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            "/input/0/content/1/image_url",
            json!("data:image/png;base64,aWNvbg=="),
            json!("https://example.com/cat.png"),
        ),
        (
            "anthropic",
            Protocol::Anthropic,
            "/messages/0/content/1/source",
            json!({ "type": "base64", "media_type": "image/png", "data": "aWNvbg==" }),
            json!({ "type": "url", "url": "https://example.com/cat.png" }),
        ),
        (
            "gemini",
            Protocol::Gemini,
            "/contents/0/parts/1",
            json!({ "inline_data": { "mime_type": "image/png", "data": "aWNvbg==" } }),
            json!({ "file_data": { "mime_type": "image/png", "file_uri": "https://example.com/cat.png" } }),
        ),
    ] {
        let body = sent(provider, protocol, ask(provider, "m", &data)).await;
        assert_eq!(body.pointer(path), Some(&of_data), "{provider}: {body}");
        let body = sent(provider, protocol, ask(provider, "m", &link)).await;
        assert_eq!(body.pointer(path), Some(&of_link), "{provider}: {body}");
    }
    let body = sent("ollama", Protocol::Ollama, ask("ollama", "m", &data)).await;
    assert_eq!(body["messages"][0]["images"], json!(["aWNvbg=="]));
    let server = Server::start([Answer::new(400, "text/plain", "No.")]).await;
    let model = model_at("ollama", Protocol::Ollama, &server);
    let error = model.generate(ask("ollama", "m", &link)).await.unwrap_err();
    assert!(error.to_string().contains("images as data"), "{error}");
}

#[tokio::test]
async fn a_query_of_the_address_stays_behind_the_path() {
    let server = Server::start([Answer::new(400, "text/plain", "No.")]).await;
    for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses] {
        let model = model_of("gateway", protocol, &format!("{}v1?api-version=7", server.url()));
        drop(model.generate(ask("gateway", "m", &[])).await);
        let head = server.last().head;
        assert!(head.starts_with("POST /v1/") && head.contains("?api-version=7 HTTP"), "{head}");
    }
}
