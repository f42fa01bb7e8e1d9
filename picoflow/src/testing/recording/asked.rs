//! A request, without what differs from run to run.

use crate::{
    ModelRef, StepId,
    model::{ChatRequest, Purpose, ToolChoice},
    session::{Image, Message, MessageKind, ToolStatus},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) step: StepId,
    model: ModelRef,
    #[serde(default, skip_serializing_if = "is_false")]
    for_summary: bool,
    messages: Vec<Said>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    System {
        text: String,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    Model {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    Tool {
        name: String,
        status: ToolStatus,
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    arguments: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    description: String,
    schema: Value,
    #[serde(default, skip_serializing_if = "is_false")]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Choice {
    Required,
    None,
}

impl From<&ChatRequest> for Asked {
    fn from(request: &ChatRequest) -> Self {
        let tools = request.tools.iter().map(|tool| Tool {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema().clone(),
            strict: tool.is_strict(),
        });
        Self {
            step: request.step.clone(),
            model: request.model.clone(),
            for_summary: request.purpose == Purpose::Summary,
            messages: request.messages.iter().map(|message| Said::from(&**message)).collect(),
            tools: tools.collect(),
            tool_choice: match request.tool_choice {
                ToolChoice::Required => Some(Choice::Required),
                ToolChoice::None => Some(Choice::None),
                _ => None,
            },
            output_schema: request.output_schema.clone(),
        }
    }
}

impl From<&Message> for Said {
    fn from(message: &Message) -> Self {
        let text = message.content.clone();
        match &message.kind {
            MessageKind::System => Self::System { text },
            MessageKind::Ai { tool_calls } => {
                let calls = tool_calls.iter().map(|call| Call {
                    name: call.name().to_owned(),
                    arguments: call.arguments().to_owned(),
                });
                Self::Model { text, calls: calls.collect() }
            }
            MessageKind::Tool { name, status, .. } => {
                Self::Tool { name: name.clone(), status: *status, text }
            }
            _ => Self::User { text, images: message.images() },
        }
    }
}
