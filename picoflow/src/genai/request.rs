//! A request of picoflow as genai takes it.

use super::{Protocol, ProviderError, ids::wire_name, provider::Target, schema};
use crate::model::{ChatRequest, ToolChoice};
use ::genai::{
    adapter::AdapterKind,
    chat::{self, ChatOptions, ChatResponseFormat, JsonSpec, Tool},
};
use serde_json::{Value, json};

impl Target {
    pub(super) fn request(
        &self,
        request: &ChatRequest,
    ) -> Result<(chat::ChatRequest, ChatOptions), ProviderError> {
        let mut options = self.options(&request.model)?;
        let history = self.history(&request.model, &request.messages)?;
        let mut put = chat::ChatRequest::from_messages(history.messages);
        put.system = history.system;
        // Ollama cannot be told to leave tools alone.
        let are_hidden =
            self.protocol == Protocol::Ollama && request.tool_choice == ToolChoice::None;
        if !request.tools.is_empty() && !are_hidden {
            put.tools = Some(request.tools.iter().map(|tool| self.tool(tool)).collect());
            options.tool_choice = match request.tool_choice {
                ToolChoice::Required => Some(chat::ToolChoice::Required),
                ToolChoice::None => Some(chat::ToolChoice::None),
                _ => None,
            };
        }
        if let Some(schema) = &request.output_schema {
            self.ask_for_json(schema, &mut put, &mut options);
        }
        Ok((put, options))
    }

    fn tool(&self, tool: &crate::ToolDefinition) -> Tool {
        let (schema, strict) = schema::of_tool(self.protocol, tool);
        let mut put = Tool::new(&*wire_name(self.protocol, tool.name()))
            .with_description(tool.description())
            .with_schema(schema);
        put.strict = strict;
        put
    }

    /// Asks for a reply that fits `schema`.
    fn ask_for_json(&self, schema: &Value, put: &mut chat::ChatRequest, options: &mut ChatOptions) {
        const NAME: &str = "reply";
        let mut spec = |schema: Value| {
            options.response_format =
                Some(ChatResponseFormat::JsonSpec(JsonSpec::new(NAME, schema)));
        };
        match self.protocol {
            Protocol::OpenAiChat | Protocol::OpenAiResponses => {
                if let Some(strict) = schema::openai_strict(schema) {
                    return spec(strict);
                }
                // genai knows the strict form alone.
                let plain = json!({ "name": NAME, "strict": false, "schema": schema });
                let (key, value) = if self.protocol == Protocol::OpenAiChat {
                    ("response_format", json!({ "type": "json_schema", "json_schema": plain }))
                } else {
                    let mut format = plain;
                    format["type"] = json!("json_schema");
                    ("text", json!({ "format": format }))
                };
                let extra = options.extra_body.get_or_insert_with(|| json!({}));
                if let Some(extra) = extra.as_object_mut() {
                    extra.entry(key).or_insert(value);
                }
            }
            Protocol::Anthropic if self.kind == AdapterKind::Anthropic => {
                spec(schema::anthropic_output(schema));
            }
            Protocol::Gemini => spec(schema.clone()),
            // What has no field for a schema is told in words.
            Protocol::Anthropic | Protocol::Ollama => {
                let words =
                    format!("Reply with JSON that fits this schema and nothing else: {schema}");
                put.system = Some(match put.system.take() {
                    Some(system) => format!("{system}\n\n{words}"),
                    None => words,
                });
                options.response_format = Some(ChatResponseFormat::JsonMode);
            }
        }
    }
}
