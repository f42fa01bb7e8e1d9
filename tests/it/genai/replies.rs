//! Replies that no recording shows: blocked ones, and arguments in every form.

use super::{
    collect,
    failures::{both, hello, streamed},
    model_at,
    server::{Answer, Server},
};
use picoflow::{
    ToolCall,
    genai::Protocol,
    model::{BlockPhase, BlockReason, ChatModel, ModelError},
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_request_that_a_filter_stops_is_blocked() {
    let gemini = json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": { "promptTokenCount": 5 } });
    let events = format!("data: {gemini}\n\n");
    let azure =
        json!({ "error": { "code": "content_filter", "message": "The prompt was filtered." } });
    let server = Server::start([Answer::json(&gemini), Answer::events(events)]).await;
    let model = model_at("gemini", Protocol::Gemini, &server);
    let whole = model.generate(hello("gemini")).await;
    let (_, streamed) = collect(model.stream(hello("gemini"))).await;
    let [filtered, again] =
        both("openai", Protocol::OpenAiChat, Answer::json(&azure).status(400)).await;
    for (reply, word) in [
        (whole, "SAFETY"),
        (streamed, "SAFETY"),
        (filtered, "content_filter"),
        (again, "content_filter"),
    ] {
        let Err(ModelError::Blocked(block)) = reply else {
            panic!("{word}: {reply:?}");
        };
        assert_eq!((block.phase, block.reason), (BlockPhase::Prompt, BlockReason::Safety));
        assert_eq!(block.raw_reason.as_deref(), Some(word));
    }
}

#[tokio::test]
async fn a_reply_that_a_rule_stops_is_blocked() {
    let gemini = |reason| json!({ "candidates": [{ "content": { "parts": [{ "text": "Hel" }] }, "finishReason": reason }] });
    let anthropic = json!({
        "type": "message", "model": "m", "content": [{ "type": "text", "text": "Hel" }], "stop_reason": "refusal",
        "usage": { "input_tokens": 3, "output_tokens": 1 }
    });
    let filtered = json!({
        "choices": [{ "index": 0, "message": { "content": "Hel" }, "finish_reason": "content_filter" }]
    });
    let response = json!({
        "id": "r", "model": "m", "status": "incomplete", "output": [], "incomplete_details": { "reason": "content_filter" }
    });
    for (provider, protocol, body, reason, word) in [
        ("gemini", Protocol::Gemini, gemini("SAFETY"), BlockReason::Safety, "SAFETY"),
        ("gemini", Protocol::Gemini, gemini("RECITATION"), BlockReason::Recitation, "RECITATION"),
        ("gemini", Protocol::Gemini, gemini("OTHER"), BlockReason::Other, "OTHER"),
        ("anthropic", Protocol::Anthropic, anthropic, BlockReason::Refusal, "refusal"),
        ("openai", Protocol::OpenAiChat, filtered, BlockReason::Safety, "content_filter"),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            response,
            BlockReason::Safety,
            "content_filter",
        ),
    ] {
        let server = Server::start([Answer::json(&body)]).await;
        let reply = model_at(provider, protocol, &server).generate(hello(provider)).await;
        let Err(ModelError::Blocked(block)) = reply else {
            panic!("{body}: {reply:?}");
        };
        assert_eq!((block.phase, block.reason), (BlockPhase::Reply, reason), "{body}");
        assert_eq!(block.raw_reason.as_deref(), Some(word));
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_the_calls_all_the_same() {
    let call = json!({ "id": "1", "type": "function", "function": { "name": "t", "arguments": "{\"a\": 1" } });
    let chat = json!({
        "choices": [{ "index": 0, "message": { "content": "So.", "tool_calls": [call] }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 }
    });
    let item =
        json!({ "type": "function_call", "call_id": "1", "name": "t", "arguments": "{\"a\": 1" });
    let text = json!({ "type": "message", "content": [{ "type": "output_text", "text": "So." }] });
    let response = json!({
        "id": "r", "model": "m", "status": "completed", "output": [text, item],
        "usage": { "input_tokens": 3, "output_tokens": 2, "total_tokens": 5 }
    });
    for (provider, protocol, body) in [
        ("openai", Protocol::OpenAiChat, chat),
        ("openai-responses", Protocol::OpenAiResponses, response),
    ] {
        let server = Server::start([Answer::json(&body)]).await;
        let reply = model_at(provider, protocol, &server).generate(hello(provider)).await.unwrap();
        assert_eq!(reply.tool_calls, [ToolCall::from_text("1", "t", "{\"a\": 1")]);
        assert_eq!((&*reply.text, reply.usage.total_tokens), ("So.", 5));
    }
    let events = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"t\",\"arguments\":\"{\\\"a\\\": 1\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let reply = streamed("openai", Protocol::OpenAiChat, events).await.unwrap();
    assert_eq!(reply.tool_calls, [ToolCall::from_text("1", "t", "{\"a\": 1")]);
}

#[tokio::test]
async fn numbers_in_arguments_keep_their_digits() {
    let digits = "{\"id\": 12345678901234567890123, \"share\": 0.10}";
    let call =
        json!({ "id": "1", "type": "function", "function": { "name": "t", "arguments": digits } });
    let body = json!({
        "choices": [{ "index": 0, "message": { "tool_calls": [call] }, "finish_reason": "tool_calls" }]
    });
    let server = Server::start([Answer::json(&body)]).await;
    let model = model_at("openai", Protocol::OpenAiChat, &server);
    let reply = model.generate(hello("openai")).await.unwrap();
    assert_eq!(reply.tool_calls[0].arguments(), digits);
    let events = format!(
        "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{}}}}\n\nevent: content_block_start\ndata: {{\"type\":\"content_block_start\",\"content_block\":{{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"t\"}}}}\n\nevent: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"delta\":{{\"partial_json\":{}}}}}\n\nevent: content_block_stop\ndata: {{}}\n\nevent: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"tool_use\"}}}}\n\nevent: message_stop\ndata: {{}}\n\n",
        json!(digits)
    );
    let reply = streamed("anthropic", Protocol::Anthropic, &events).await.unwrap();
    assert_eq!(reply.tool_calls[0].arguments(), digits);
}

#[tokio::test]
async fn calls_are_told_apart_however_a_server_counts_them() {
    let frame = |calls: Value| {
        format!(
            "data: {}\n\n",
            json!({ "choices": [{ "index": 0, "delta": { "tool_calls": calls } }] })
        )
    };
    let piece = |index: Value, id: Value, name: Value, arguments: &str| json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } });
    let none = Value::Null;
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let frames = [
        // As it should be.
        vec![
            piece(json!(0), json!("a"), json!("one"), ""),
            piece(json!(0), none.clone(), none.clone(), "{\"x\""),
            piece(json!(0), none.clone(), none.clone(), ":1}"),
            piece(json!(1), json!("b"), json!("two"), "{}"),
        ],
        // All with one index.
        vec![
            piece(json!(0), json!("a"), json!("one"), "{\"x\""),
            piece(json!(0), json!("a"), json!("one"), ":1}"),
            piece(json!(0), json!("b"), json!("two"), "{}"),
        ],
        // All without, and with a new id for each piece of one.
        vec![
            piece(none.clone(), json!("a"), json!("one"), "{\"x\""),
            piece(none.clone(), none.clone(), none.clone(), ":1}"),
            piece(none.clone(), json!("b"), json!("two"), "{}"),
        ],
        vec![
            piece(json!(0), json!("a"), json!("one"), "{\"x\""),
            piece(json!(0), json!("a2"), none.clone(), ":1}"),
            piece(json!(1), json!("b"), json!("two"), "{}"),
        ],
    ];
    for pieces in frames {
        let events: String = pieces.into_iter().map(|piece| frame(json!([piece]))).collect();
        let reply = streamed("openai", Protocol::OpenAiChat, &(events + end)).await.unwrap();
        let wanted =
            [ToolCall::from_text("a", "one", "{\"x\":1}"), ToolCall::from_text("b", "two", "{}")];
        assert_eq!(reply.tool_calls, wanted);
    }
}
