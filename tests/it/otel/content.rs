//! What is said is told only to whoever asks for it.

use super::{
    SECRET, build, calls, engine,
    seen::{Seen, attribute, text},
    talks, turn,
};
use picoflow::{
    Engine,
    model::ModelError,
    prelude::*,
    session::Image,
    testing::{Rule, ScriptedModel},
};

const CONTENT: [&str; 5] = [
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A conversation with the secret in its prompt, message, arguments, results, errors and replies.
async fn tell(engine: &Engine) {
    let reply = engine.run(turn(SECRET)).await.unwrap();
    assert!(reply.text.contains(SECRET));
}

fn model() -> ScriptedModel {
    let topic = json!({ "topic": SECRET });
    let one = |name: &'static str, arguments| [(name, arguments)];
    ScriptedModel::new()
        .answer(Rule::new().times(1), |_| Err(ModelError::transient(SECRET)))
        .on_call(Rule::new().times(1), one("look_up", topic.clone()))
        .on_call(Rule::new().times(1), [("left", topic), ("right", json!({}))])
        .on_call(Rule::new().times(1), one("fail", json!({ "way": "feedback" })))
        .on_call(Rule::new().times(1), one("fail", json!({ "way": "internal" })))
        .on(Rule::new(), format!("Done, {SECRET}."))
}

#[tokio::test(start_paused = true)]
async fn nothing_of_what_is_said_is_in_a_span_or_a_metric_by_default() {
    let seen = Seen::new();
    let engine = engine(&seen, model()).await;
    tell(&engine).await;
    let failed = engine_that_fails(&seen).await.run(turn(SECRET)).await.unwrap_err();
    assert!(failed.to_string().contains(SECRET));
    let (spans, metrics) = (seen.spans(), seen.histograms());
    assert_eq!(spans.len(), 14);
    assert!(!format!("{spans:?}").contains(SECRET));
    assert!(!format!("{metrics:?}").contains(SECRET));
    for span in &spans {
        for key in CONTENT {
            assert_eq!(attribute(span, key), None, "{}", span.name);
        }
    }
}

async fn engine_that_fails(seen: &Seen) -> Engine {
    engine(seen, calls([("fail", json!({ "way": "abort" }))])).await
}

#[tokio::test(start_paused = true)]
async fn what_is_said_is_told_when_asked_for() {
    let seen = Seen::new();
    let engine = build(seen.telemetry().record_content(), model()).await;
    tell(&engine).await;
    let whole = seen.span("invoke_agent TestFlow");
    assert_eq!(
        json(&text(&whole, "gen_ai.input.messages")),
        json!([{ "role": "user", "parts": [{ "type": "text", "content": SECRET }] }])
    );
    assert_eq!(
        json(&text(&whole, "gen_ai.output.messages")),
        json!([{
            "role": "assistant",
            "parts": [{ "type": "text", "content": format!("Done, {SECRET}.") }],
            "finish_reason": "stop",
        }])
    );
    let tool = seen.span("execute_tool look_up");
    assert_eq!(json(&text(&tool, "gen_ai.tool.call.arguments")), json!({ "topic": SECRET }));
    assert_eq!(text(&tool, "gen_ai.tool.call.result"), format!("about {SECRET}"));
    let group = seen.span("execute_tool left+right");
    assert_eq!(json(&text(&group, "gen_ai.tool.call.arguments")), json!([{ "topic": SECRET }, {}]));
    let failed = seen.spans().into_iter().find(|span| span.name == "execute_tool fail").unwrap();
    assert!(format!("{:?}", failed.status).contains(SECRET), "{:?}", failed.status);
}

#[tokio::test(start_paused = true)]
async fn a_model_call_shows_the_conversation_in_the_form_of_the_conventions() {
    let seen = Seen::new();
    let engine = build(seen.telemetry().record_content(), model()).await;
    tell(&engine).await;
    let chats: Vec<_> =
        seen.spans().into_iter().filter(|span| span.name == "chat script").collect();
    assert!(format!("{:?}", chats[0].status).contains(SECRET), "{:?}", chats[0].status);
    assert_eq!(
        json(&text(&chats[1], "gen_ai.system_instructions")),
        json!([{ "type": "text", "content": format!("Serve: {SECRET}") }])
    );
    let called = json!({
        "type": "tool_call", "id": "call_1", "name": "look_up", "arguments": { "topic": SECRET },
    });
    assert_eq!(
        json(&text(&chats[1], "gen_ai.output.messages")),
        json!([{ "role": "assistant", "parts": [called], "finish_reason": "tool_call" }])
    );
    assert_eq!(
        json(&text(&chats[2], "gen_ai.input.messages")),
        json!([
            { "role": "user", "parts": [{ "type": "text", "content": SECRET }] },
            { "role": "assistant", "parts": [called] },
            { "role": "tool", "parts": [{
                "type": "tool_call_response", "id": "call_1", "response": format!("about {SECRET}"),
            }] },
        ])
    );
}

#[tokio::test]
async fn an_image_is_told_by_its_address_and_its_bytes_are_not_repeated() {
    let seen = Seen::new();
    let engine = build(seen.telemetry().record_content(), talks()).await;
    let shown = turn("Look")
        .image(Image::url("image/png", "https://example.com/cat.png"))
        .image(Image::data("image/gif", "R0lGODlhAQABAAAAACw="));
    engine.run(shown).await.unwrap();
    assert_eq!(
        json(&text(&seen.span("chat script"), "gen_ai.input.messages"))[0]["parts"],
        json!([
            { "type": "text", "content": "Look" },
            {
                "type": "uri", "modality": "image", "mime_type": "image/png",
                "uri": "https://example.com/cat.png",
            },
            { "type": "image", "mime_type": "image/gif" },
        ])
    );
}

#[tokio::test]
async fn events_of_tracing_hold_texts_and_are_the_subscribers_to_leave_out() {
    let model = || calls([("fail", json!({ "way": "internal" }))]);
    let seen = Seen::with_events();
    engine(&seen, model()).await.run(turn("Hi")).await.unwrap();
    assert!(format!("{:?}", seen.spans()).contains(SECRET));
    drop(seen);
    let seen = Seen::new();
    engine(&seen, model()).await.run(turn("Hi")).await.unwrap();
    assert!(!format!("{:?}", seen.spans()).contains(SECRET));
}
