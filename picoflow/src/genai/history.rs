//! The history in the order of messages that each provider takes.

use super::{
    Protocol, ProviderError,
    ids::{WireIds, wire_name},
    provider::Target,
    reasoning,
};
use crate::{
    ModelRef,
    session::{ImageSource, Message, MessageKind},
};
use ::genai::{
    adapter::AdapterKind,
    chat::{ChatMessage, ContentPart, MessageContent, ToolCall, ToolResponse},
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What the user said, in words that no provider refuses for being empty.
const OPENING: &str = "Start";
const GO_ON: &str = "Continue.";
const UNDERSTOOD: &str = "OK.";

/// The system's text, and everything behind it.
pub(super) struct History {
    pub(super) system: Option<String>,
    pub(super) messages: Vec<ChatMessage>,
}

/// Messages of one side that a provider may want as one.
enum Said {
    User(Vec<ContentPart>),
    Assistant(Vec<ContentPart>),
    Tools(Vec<ToolResponse>),
}

impl Target {
    pub(super) fn history(
        &self,
        model: &ModelRef,
        messages: &[Arc<Message>],
    ) -> Result<History, ProviderError> {
        let mut system: Vec<&str> = Vec::new();
        let mut said: Vec<Said> = Vec::new();
        let mut ids = WireIds::new(self.kind);
        for message in messages {
            match &message.kind {
                MessageKind::System => system.push(&message.content),
                MessageKind::Human => {
                    let parts = self.user(message)?;
                    match said.last_mut() {
                        Some(Said::User(known)) if self.alternates() => known.extend(parts),
                        _ => said.push(Said::User(parts)),
                    }
                }
                MessageKind::Ai { tool_calls } => {
                    let parts = self.assistant(model, message, tool_calls, &mut ids);
                    match said.last_mut() {
                        _ if parts.is_empty() => {}
                        Some(Said::Assistant(known)) if self.alternates() => known.extend(parts),
                        _ => said.push(Said::Assistant(parts)),
                    }
                }
                MessageKind::Tool { call_id, name, .. } => {
                    let response = ToolResponse::new(ids.of(call_id), &*message.content)
                        .with_fn_name(wire_name(self.protocol, name));
                    match said.last_mut() {
                        // Ollama takes one answer a message.
                        Some(Said::Tools(known)) if self.protocol != Protocol::Ollama => {
                            known.push(response);
                        }
                        _ => said.push(Said::Tools(vec![response])),
                    }
                }
                _ => {}
            }
        }
        let system: Vec<_> = system.into_iter().filter(|text| !text.trim().is_empty()).collect();
        Ok(History {
            system: (!system.is_empty()).then(|| system.join("\n\n")),
            messages: self.ordered(said).into_iter().map(spoken).collect(),
        })
    }

    /// What the user says and shows.
    fn user(&self, message: &Message) -> Result<Vec<ContentPart>, ProviderError> {
        let images = message.images();
        let mut parts = Vec::with_capacity(images.len() + 1);
        // A picture may speak for itself.
        if images.is_empty() || !message.content.trim().is_empty() {
            parts.push(ContentPart::from_text(&*message.content));
        }
        for image in images {
            parts.push(match (self.protocol, image.source) {
                // genai leaves these two out.
                (Protocol::Anthropic, ImageSource::Url(url)) => {
                    let source = json!({ "type": "url", "url": url });
                    ContentPart::from_custom(json!({ "type": "image", "source": source }), None)
                }
                (Protocol::Ollama, ImageSource::Url(_)) => {
                    return Err(ProviderError::Request {
                        provider: self.provider.clone(),
                        reason: "it takes images as data, not at an address".to_owned(),
                    });
                }
                (_, ImageSource::Url(url)) => {
                    ContentPart::from_binary_url(image.media_type, url, None)
                }
                (_, ImageSource::Data(data)) => {
                    ContentPart::from_binary_base64(image.media_type, data, None)
                }
                // What a later version adds.
                _ => {
                    return Err(ProviderError::Request {
                        provider: self.provider.clone(),
                        reason: "it does not know this form of image".to_owned(),
                    });
                }
            });
        }
        Ok(parts)
    }

    /// Whether user and assistant have to take turns, the user first and last.
    const fn alternates(&self) -> bool {
        matches!(self.protocol, Protocol::Anthropic | Protocol::Gemini)
            || matches!(self.kind, AdapterKind::Mistral)
    }

    fn ordered(&self, said: Vec<Said>) -> Vec<Said> {
        let user = |text: &str| Said::User(vec![ContentPart::from_text(text)]);
        if said.is_empty() {
            return vec![user(OPENING)];
        }
        if !self.alternates() {
            return said;
        }
        let mut ordered: Vec<Said> = Vec::with_capacity(said.len() + 2);
        for one in said {
            match (ordered.last(), &one) {
                (None, Said::Assistant(_)) => ordered.push(user(OPENING)),
                (Some(Said::Tools(_)), Said::User(_)) if self.kind == AdapterKind::Mistral => {
                    let word = vec![ContentPart::from_text(UNDERSTOOD)];
                    ordered.push(Said::Assistant(word));
                }
                _ => {}
            }
            ordered.push(one);
        }
        if matches!(ordered.last(), Some(Said::Assistant(_))) {
            ordered.push(user(GO_ON));
        }
        ordered
    }

    fn assistant(
        &self,
        model: &ModelRef,
        message: &Message,
        calls: &[crate::ToolCall],
        ids: &mut WireIds,
    ) -> Vec<ContentPart> {
        let kept = message.reasoning().and_then(|kept| reasoning::read(kept, model));
        let mut signatures = Vec::new();
        let mut parts = Vec::new();
        if let Some(kept) = kept {
            parts = kept.parts;
            signatures = kept.signatures;
        }
        if !message.content.trim().is_empty() {
            parts.push(ContentPart::from_text(&*message.content));
        }
        for (place, call) in calls.iter().enumerate() {
            parts.push(ContentPart::ToolCall(ToolCall {
                call_id: ids.of(call.id()),
                fn_name: wire_name(self.protocol, call.name()).into_owned(),
                fn_arguments: arguments(call),
                thought_signatures: signatures.get(place).filter(|all| !all.is_empty()).cloned(),
            }));
        }
        // Reasoning alone is no message.
        let has_more = parts
            .iter()
            .any(|part| matches!(part, ContentPart::Text(_) | ContentPart::ToolCall(_)));
        if has_more { parts } else { Vec::new() }
    }
}

/// The arguments as an object, which is what providers take back. What was no JSON is not told again: the answer to the
/// call says what was wrong.
fn arguments(call: &crate::ToolCall) -> Value {
    match serde_json::from_str(call.arguments()) {
        Ok(object @ Value::Object(_)) => object,
        _ => Value::Object(Map::new()),
    }
}

fn spoken(said: Said) -> ChatMessage {
    match said {
        Said::User(parts) => ChatMessage::user(joined(parts)),
        Said::Assistant(parts) => ChatMessage::assistant(joined(parts)),
        Said::Tools(answers) => ChatMessage::tool(MessageContent::from_tool_responses(answers)),
    }
}

/// The parts with neighbouring texts as one.
fn joined(parts: Vec<ContentPart>) -> MessageContent {
    let mut joined: Vec<ContentPart> = Vec::with_capacity(parts.len());
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(ContentPart::Text(known)), ContentPart::Text(more)) => {
                known.push_str("\n\n");
                known.push_str(&more);
            }
            (_, part) => joined.push(part),
        }
    }
    MessageContent::from_parts(joined)
}
