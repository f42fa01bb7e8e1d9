//! From what genai read, and what it did not, to a reply.

use super::{
    Protocol,
    ending::Ending,
    ids::wire_name,
    notes::Notes,
    provider::Target,
    reasoning::{self, Kept},
    usage,
};
use crate::{
    ModelReply, ToolCall, ToolDefinition,
    model::{Block, BlockPhase, BlockReason, ChatRequest, ModelError, Usage},
};
use ::genai::{
    adapter::AdapterKind,
    chat::{self, ContentPart, MessageContent},
};
use picoflow_core::__private::without_absent;
use serde_json::Value;
use std::sync::Arc;

/// What genai read.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) text: String,
    pub(super) reasoning: Option<String>,
    pub(super) content: MessageContent,
    pub(super) usage: chat::Usage,
    /// The arguments of calls as they were sent, by the call's id, where genai tells.
    pub(super) arguments: Vec<(String, String)>,
}

/// Whether a reply came whole: then it is complete if it does not say otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Whole,
    InBits,
}

impl Target {
    /// # Errors
    /// When the reply is an error, a refusal, or not complete.
    pub(super) fn reply(
        &self,
        request: &ChatRequest,
        heard: Heard,
        mut notes: Notes,
        came: Came,
    ) -> Result<ModelReply, ModelError> {
        let counted = Some(&heard.usage).filter(|counted| usage::is_counted(counted));
        let counted = counted.or(notes.usage.as_ref());
        let usage = counted
            .map(|counted| usage::usage(counted, notes.reasoning_tokens))
            .unwrap_or_default();
        if let Some(error) = &notes.error {
            return Err(self.reported(error));
        }
        if let Some(error) = self.refusal(&mut notes, usage) {
            return Err(error);
        }
        match &notes.finish {
            Some(word) => {
                if let Some(error) = self.ended(word, Ending::of(word), usage) {
                    return Err(error);
                }
            }
            None if came == Came::InBits => {
                return Err(ModelError::transient(self.incomplete("it broke off")));
            }
            None => {}
        }
        let kept = self.kept(&heard, &notes);
        let mut reply = ModelReply::text(heard.text).with_usage(usage);
        // What came in bits is what was shown.
        if reply.text.is_empty() && came == Came::Whole {
            reply.text = notes.text;
        }
        if notes.calls.is_empty() {
            let calls = heard.content.into_tool_calls().into_iter().enumerate();
            reply.tool_calls =
                calls.map(|(place, call)| self.call(place, call, &heard.arguments)).collect();
        } else {
            let calls = notes.calls.into_iter();
            reply.tool_calls =
                calls.map(|call| called(call.id, call.name, &call.arguments)).collect();
        }
        for call in &mut reply.tool_calls {
            let sent = |tool: &&Arc<ToolDefinition>| {
                tool.name() != call.name() && wire_name(self.protocol, tool.name()) == call.name()
            };
            if let Some(tool) = request.tools.iter().find(sent) {
                *call = ToolCall::from_text(call.id(), tool.name(), call.arguments());
            }
        }
        if let Some(schema) = request.output_schema.as_ref().filter(|_| reply.tool_calls.is_empty())
            && let Some(text) = without_absent(&reply.text, schema)
        {
            reply.text = text;
        }
        reply.reasoning = reasoning::written(&request.model, kept);
        self.redact(&mut reply);
        Ok(reply)
    }

    fn call(&self, place: usize, call: chat::ToolCall, sent: &[(String, String)]) -> ToolCall {
        let mut id = call.call_id;
        // genai counts the calls of each frame anew.
        if self.protocol == Protocol::Gemini && id.starts_with("call#") {
            id = format!("call#{}#{place}", call.fn_name);
        }
        if let Some((_, text)) = sent.iter().find(|(known, _)| *known == id) {
            return called(id, call.fn_name, text);
        }
        match call.fn_arguments {
            Value::String(text) => called(id, call.fn_name, &text),
            other => ToolCall::new(id, call.fn_name, &other),
        }
    }

    /// What this provider wants back.
    fn kept(&self, heard: &Heard, notes: &Notes) -> Kept {
        let parts = heard.content.parts();
        let signed = |part: &&ContentPart| match part {
            ContentPart::ThoughtSignature(_) => true,
            ContentPart::ReasoningContent(_) => self.protocol == Protocol::Anthropic,
            ContentPart::Custom(custom) => custom.typ() == Some("redacted_thinking"),
            _ => false,
        };
        let mut kept = Kept { parts: Vec::new(), signatures: Vec::new() };
        match self.protocol {
            Protocol::Anthropic => kept.parts = parts.iter().filter(signed).cloned().collect(),
            Protocol::Gemini => {
                kept.parts = parts.iter().filter(signed).cloned().collect();
                let calls = heard.content.tool_calls().into_iter();
                let own = calls.map(|call| call.thought_signatures.clone().unwrap_or_default());
                kept.signatures = own.collect();
            }
            Protocol::OpenAiResponses => {
                let sealed = notes.blocks.iter().filter_map(Value::as_str);
                kept.parts =
                    sealed.map(|text| ContentPart::ThoughtSignature(text.to_owned())).collect();
            }
            Protocol::OpenAiChat if self.kind == AdapterKind::OpenRouter => {
                let blocks = notes.blocks.iter().filter(|block| block.is_object()).cloned();
                kept.parts = blocks.map(|block| ContentPart::from_custom(block, None)).collect();
            }
            Protocol::OpenAiChat if self.wants_reasoning() => {
                let text = heard.reasoning.clone().filter(|text| !text.is_empty());
                kept.parts = text.map(ContentPart::ReasoningContent).into_iter().collect();
            }
            Protocol::OpenAiChat | Protocol::Ollama => {}
        }
        kept
    }

    /// The refusal of the request or by the model, if there is one.
    fn refusal(&self, notes: &mut Notes, usage: Usage) -> Option<ModelError> {
        let block = if let Some(word) = notes.blocked.take() {
            let reason = match Ending::of(&word) {
                Ending::Blocked(reason) => reason,
                _ => BlockReason::Other,
            };
            Block::new(BlockPhase::Prompt, reason).raw_reason(self.scrubbed(&word))
        } else if notes.refusal.is_empty() {
            return None;
        } else {
            let words = self.scrubbed(&std::mem::take(&mut notes.refusal));
            Block::new(BlockPhase::Reply, BlockReason::Refusal).raw_reason(words)
        };
        Some(ModelError::blocked(block.usage(usage)))
    }

    /// Whether it is one of those that want their unsigned reasoning back with the calls that it led to.
    const fn wants_reasoning(&self) -> bool {
        matches!(
            self.kind,
            AdapterKind::DeepSeek
                | AdapterKind::Kimi
                | AdapterKind::Mimo
                | AdapterKind::Mistral
                | AdapterKind::Moonshot
        )
    }
}

/// A call with its arguments as they were sent. Nothing is how some say that there are none.
fn called(id: String, name: String, arguments: &str) -> ToolCall {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    ToolCall::from_text(id, name, arguments)
}
