//! A model's parameters, as genai takes them.

use super::{Protocol, ProviderError, provider::Target};
use crate::ModelRef;
use ::genai::{
    adapter::AdapterKind,
    chat::{ChatOptions, ReasoningEffort, Verbosity},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

impl Target {
    /// The options of a call: the parameters that all providers know by the names that picoflow gives them, everything
    /// else as it is.
    pub(super) fn options(&self, model: &ModelRef) -> Result<ChatOptions, ProviderError> {
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_content(true)
            .with_capture_tool_calls(true)
            .with_capture_raw_body(true);
        let mut extra = Map::new();
        for (name, value) in model.params() {
            match &**name {
                "temperature" => options.temperature = Some(self.read(name, value)?),
                "top_p" => options.top_p = Some(self.read(name, value)?),
                "max_tokens" | "max_output_tokens" | "max_completion_tokens" => {
                    options.max_tokens = Some(self.read(name, value)?);
                }
                "seed" => options.seed = Some(self.read(name, value)?),
                "stop" | "stop_sequences" => {
                    options.stop_sequences = match value {
                        Value::String(one) => vec![one.clone()],
                        many => self.read(name, many)?,
                    };
                }
                "reasoning_effort" => options.reasoning_effort = Some(self.effort(name, value)?),
                "verbosity" => {
                    let verbosity = value.as_str().and_then(Verbosity::from_keyword);
                    options.verbosity =
                        Some(verbosity.ok_or_else(|| self.misfit(name, "low, medium or high"))?);
                }
                _ if self.protocol == Protocol::Ollama => {
                    return Err(self.misfit(name, "one of those that picoflow knows"));
                }
                _ => {
                    extra.insert(name.clone(), value.clone());
                }
            }
        }
        self.ask_for_reasoning(model, &mut options, &mut extra);
        if !extra.is_empty() {
            options.extra_body = Some(Value::Object(extra));
        }
        Ok(options)
    }

    fn read<T: DeserializeOwned>(&self, name: &str, value: &Value) -> Result<T, ProviderError> {
        T::deserialize(value).map_err(|error| self.misfit(name, &error.to_string()))
    }

    fn misfit(&self, name: &str, reason: &str) -> ProviderError {
        ProviderError::Parameter {
            provider: self.provider.clone(),
            name: name.to_owned(),
            reason: format!("it has to be {reason}"),
        }
    }

    /// A word such as `low`, or a number of tokens.
    fn effort(&self, name: &str, value: &Value) -> Result<ReasoningEffort, ProviderError> {
        let budget = value.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        let effort = match value.as_str() {
            Some(word) => ReasoningEffort::from_keyword(word),
            None => budget.map(ReasoningEffort::Budget),
        };
        effort.ok_or_else(|| {
            self.misfit(name, "none, minimal, low, medium, high, xhigh, max or a number of tokens")
        })
    }

    /// Asks for what has to be sent back with the next request, where it takes asking.
    fn ask_for_reasoning(
        &self,
        model: &ModelRef,
        options: &mut ChatOptions,
        extra: &mut Map<String, Value>,
    ) {
        let effort = options.reasoning_effort.as_ref();
        let is_wanted = effort.is_some_and(|effort| !matches!(effort, ReasoningEffort::Zero));
        options.capture_reasoning_content = Some(match self.protocol {
            // genai would ask for summaries too, which not every account gets.
            Protocol::OpenAiResponses => {
                if (is_wanted || thinks(model.name())) && !extra.contains_key("include") {
                    extra.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
                }
                false
            }
            // A model that does not think refuses the question.
            Protocol::Gemini => is_wanted,
            _ => true,
        });
        // genai takes the end of a name such as `qwen-max` for an effort. A budget is what it does not pass on.
        let is_plain = matches!(self.protocol, Protocol::OpenAiChat | Protocol::OpenAiResponses);
        if is_plain
            && self.kind != AdapterKind::DeepSeek
            && options.reasoning_effort.is_none()
            && ReasoningEffort::from_model_name(model.name()).0.is_some()
        {
            options.reasoning_effort = Some(ReasoningEffort::Budget(0));
        }
    }
}

/// Whether OpenAI's model of this name thinks without being told to.
fn thinks(model: &str) -> bool {
    ["o1", "o3", "o4", "gpt-5", "gpt-6", "codex"].iter().any(|family| model.starts_with(family))
        && !model.contains("chat")
}
