//! One message of a history.

use super::{Image, Timestamp};
use crate::ToolCall;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A message, as stored and as sent to a model.
///
/// A text converts into a message of the user; id and time are filled in when it is added to a history. What
/// [`with_message`](crate::Response::with_message) takes converts into one.
///
/// See [`FlowState`](super::FlowState) for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// `<step>|<time>|<ten digits>`.
    pub id: String,
    /// When it was added.
    pub timestamp: Timestamp,
    /// The text.
    pub content: String,
    /// Who speaks.
    pub kind: MessageKind,
    /// What else belongs to it, such as `direct`.
    pub additional: Map<String, Value>,
}

/// Who speaks, with what only that speaker has.
///
/// See [`FlowState`](super::FlowState) for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A step's prompt.
    System,
    /// The user.
    Human,
    /// The model, or a handler that answered in its place.
    Ai {
        /// The calls of this reply. Directly behind it stands one tool message for each.
        tool_calls: Vec<ToolCall>,
    },
    /// The answer to one tool call.
    Tool {
        /// The call that it answers.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether the tool did what it was asked.
        status: ToolStatus,
    },
}

/// Whether a tool did what it was asked.
///
/// See [`FlowState`](super::FlowState) for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolStatus {
    /// It ran.
    Success,
    /// It did not, or failed.
    Error,
}

/// What marks the message of a request that holds the summary.
pub(crate) const SUMMARY: &str = "summary";

/// Where a message of the user keeps its images.
pub(crate) const IMAGES: &str = "images";

/// Where a reply keeps what its provider wants back.
pub(crate) const REASONING: &str = "reasoning";

impl Message {
    /// A message of the assistant without calls, such as what a step said to the user and the next one is to know.
    /// See [`Response::with_message`](crate::Response::with_message) for an example.
    pub fn ai(text: impl Into<String>) -> Self {
        let kind = MessageKind::Ai { tool_calls: Vec::new() };
        Self { kind, ..Self::from(text) }
    }

    /// Whether it is a step's prompt, or the summary behind it.
    pub const fn is_system(&self) -> bool {
        matches!(self.kind, MessageKind::System)
    }

    /// Whether it tells a model, behind the prompt, what was said before the messages that it sees. Only requests have
    /// such a message.
    /// See [`Compaction`](crate::Compaction) for an example.
    pub fn is_summary(&self) -> bool {
        self.is_system() && self.additional.contains_key(SUMMARY)
    }

    /// Whether the model, or a handler in its place, said it.
    pub const fn is_ai(&self) -> bool {
        matches!(self.kind, MessageKind::Ai { .. })
    }

    /// Whether the user said it.
    pub const fn is_human(&self) -> bool {
        matches!(self.kind, MessageKind::Human)
    }

    /// The images that the user shows beside the text; what is no image is left out.
    ///
    /// ```
    /// use picoflow_core::session::{Image, Message};
    ///
    /// let stored = r#"{
    ///     "id": "Ask|1", "type": "human", "content": "What is it?", "timestamp": "2026-02-11T09:14:02.113Z",
    ///     "additional_kwargs": { "images": [{ "mediaType": "image/png", "url": "https://example.com/cat.png" }] }
    /// }"#;
    /// let message: Message = serde_json::from_str(stored)?;
    /// assert_eq!(message.images(), [Image::url("image/png", "https://example.com/cat.png")]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn images(&self) -> Vec<Image> {
        let images = self.additional.get(IMAGES).filter(|_| self.is_human());
        let images = images.and_then(Value::as_array).into_iter().flatten();
        images.filter_map(|image| Image::deserialize(image).ok()).collect()
    }

    /// What the provider of a reply wants back with it, see [`ModelReply::reasoning`](crate::ModelReply::reasoning).
    ///
    /// ```
    /// use picoflow_core::session::Message;
    ///
    /// let stored = r#"{
    ///     "id": "Ask|1", "type": "ai", "content": "Hello.", "timestamp": "2026-02-11T09:14:02.113Z",
    ///     "additional_kwargs": { "reasoning": "signed" }
    /// }"#;
    /// let message: Message = serde_json::from_str(stored)?;
    /// assert_eq!(message.reasoning().unwrap(), "signed");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn reasoning(&self) -> Option<&Value> {
        self.additional.get(REASONING).filter(|_| self.is_ai())
    }

    /// The tool calls of a reply; empty for every other message.
    /// See [`FlowState`](super::FlowState) for an example.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match &self.kind {
            MessageKind::Ai { tool_calls } => tool_calls,
            _ => &[],
        }
    }
}

impl MessageKind {
    /// Whether it is the answer to the call of this id.
    pub(crate) fn answers(&self, id: &str) -> bool {
        matches!(self, Self::Tool { call_id, .. } if call_id == id)
    }
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Self {
        Self {
            id: String::new(),
            timestamp: Timestamp::from(std::time::UNIX_EPOCH),
            content: text.into(),
            kind: MessageKind::Human,
            additional: Map::new(),
        }
    }
}

impl From<&Self> for Message {
    fn from(message: &Self) -> Self {
        message.clone()
    }
}

/// The flat form of the document. `Message` is read through it, so that a tool message without the call
/// that it answers never gets in.
#[derive(Serialize, Deserialize)]
struct Document<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: Kind,
    content: Cow<'a, str>,
    timestamp: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<ToolStatus>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    tool_calls: Cow<'a, [ToolCall]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    additional_kwargs: Cow<'a, Map<String, Value>>,
}

fn is_empty(map: &Map<String, Value>) -> bool {
    map.is_empty()
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    System,
    Human,
    Ai,
    Tool,
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = Document {
            id: Cow::Borrowed(&self.id),
            kind: Kind::System,
            content: Cow::Borrowed(&self.content),
            timestamp: self.timestamp,
            name: None,
            tool_call_id: None,
            status: None,
            tool_calls: Cow::Borrowed(self.tool_calls()),
            additional_kwargs: Cow::Borrowed(&self.additional),
        };
        match &self.kind {
            MessageKind::System => {}
            MessageKind::Human => document.kind = Kind::Human,
            MessageKind::Ai { .. } => document.kind = Kind::Ai,
            MessageKind::Tool { call_id, name, status } => {
                document.kind = Kind::Tool;
                document.name = Some(Cow::Borrowed(name));
                document.tool_call_id = Some(Cow::Borrowed(call_id));
                document.status = Some(*status);
            }
        }
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        let kind = match document.kind {
            Kind::System => MessageKind::System,
            Kind::Human => MessageKind::Human,
            Kind::Ai => MessageKind::Ai { tool_calls: document.tool_calls.into_owned() },
            Kind::Tool => MessageKind::Tool {
                call_id: document
                    .tool_call_id
                    .ok_or_else(|| D::Error::missing_field("tool_call_id"))?
                    .into_owned(),
                name: document.name.unwrap_or_default().into_owned(),
                status: document.status.unwrap_or(ToolStatus::Success),
            },
        };
        Ok(Self {
            id: document.id.into_owned(),
            timestamp: document.timestamp,
            content: document.content.into_owned(),
            kind,
            additional: document.additional_kwargs.into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(extra: Value) -> Value {
        let mut document =
            json!({ "id": "S|t|1", "timestamp": "2026-02-11T09:14:02.113Z", "content": "c" });
        if let (Some(map), Value::Object(extra)) = (document.as_object_mut(), extra) {
            map.extend(extra);
        }
        document
    }

    #[test]
    fn every_kind_survives_the_document() {
        for extra in [
            json!({ "type": "system" }),
            json!({ "type": "human" }),
            json!({ "type": "ai", "additional_kwargs": { "direct": true } }),
            json!({ "type": "ai", "tool_calls": [{ "name": "t", "args": { "a": 1 }, "id": "1" }] }),
            json!({ "type": "tool", "name": "t", "tool_call_id": "1", "status": "error" }),
        ] {
            let document = document(extra);
            let message: Message = serde_json::from_value(document.clone()).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), document);
        }
    }

    #[test]
    fn a_tool_message_without_its_call_is_refused() {
        let error = serde_json::from_value::<Message>(document(json!({ "type": "tool" })))
            .unwrap_err()
            .to_string();
        assert!(error.contains("tool_call_id"), "{error}");
    }
}
