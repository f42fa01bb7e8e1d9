//! What was said, in the JSON that the conventions ask for.

use crate::{
    ModelReply, ToolCall,
    model::ChatRequest,
    session::{Image, ImageSource, Message, MessageKind},
};
use serde_json::{Value, json};

fn text(content: &str) -> Value {
    json!({ "type": "text", "content": content })
}

/// What the model was told besides the conversation.
pub(super) fn instructions(request: &ChatRequest) -> Option<String> {
    let system = request.messages.iter().take_while(|message| message.is_system());
    let parts: Vec<_> = system.map(|message| text(&message.content)).collect();
    (!parts.is_empty()).then(|| Value::from(parts).to_string())
}

/// The conversation.
pub(super) fn input(request: &ChatRequest) -> String {
    let said = request.messages.iter().skip_while(|message| message.is_system());
    said.map(|message| entry(message)).collect::<Value>().to_string()
}

/// The model's reply.
pub(super) fn output(reply: &ModelReply) -> String {
    let reason = if reply.tool_calls.is_empty() { "stop" } else { "tool_call" };
    let parts = parts_of(&reply.text, &reply.tool_calls);
    json!([{ "role": "assistant", "parts": parts, "finish_reason": reason }]).to_string()
}

/// One message that is a text.
pub(super) fn said(role: &str, content: &str) -> String {
    json!([{ "role": role, "parts": [text(content)] }]).to_string()
}

/// The turn's answer.
pub(super) fn answered(content: &str) -> String {
    let parts = [text(content)];
    json!([{ "role": "assistant", "parts": parts, "finish_reason": "stop" }]).to_string()
}

/// The arguments of a call; of a group, a list of them.
pub(super) fn arguments(calls: &[ToolCall]) -> String {
    match calls {
        [call] => call.arguments().to_owned(),
        group => group.iter().map(arguments_of).collect::<Value>().to_string(),
    }
}

fn arguments_of(call: &ToolCall) -> Value {
    let read = serde_json::from_str(call.arguments());
    read.unwrap_or_else(|_| Value::from(call.arguments()))
}

fn parts_of(content: &str, calls: &[ToolCall]) -> Vec<Value> {
    let said = (!content.is_empty()).then(|| text(content));
    let called = calls.iter().map(|call| {
        json!({ "type": "tool_call", "id": call.id(), "name": call.name(), "arguments": arguments_of(call) })
    });
    said.into_iter().chain(called).collect()
}

fn entry(message: &Message) -> Value {
    let content = &message.content;
    let (role, parts) = match &message.kind {
        MessageKind::Ai { tool_calls } => ("assistant", parts_of(content, tool_calls)),
        MessageKind::Tool { call_id, .. } => (
            "tool",
            vec![json!({ "type": "tool_call_response", "id": call_id, "response": content })],
        ),
        MessageKind::System => ("system", vec![text(content)]),
        _ => {
            let images = message.images();
            ("user", [text(content)].into_iter().chain(images.iter().map(shown)).collect())
        }
    };
    json!({ "role": role, "parts": parts })
}

/// An image by its address. One that came as bytes is told of and not repeated.
fn shown(image: &Image) -> Value {
    let media_type = &image.media_type;
    match &image.source {
        ImageSource::Url(uri) => {
            json!({ "type": "uri", "modality": "image", "mime_type": media_type, "uri": uri })
        }
        _ => json!({ "type": "image", "mime_type": media_type }),
    }
}
