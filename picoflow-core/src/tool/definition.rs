//! What a tool is: name, description, schema.

use super::schema_of;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A tool as the model sees it. Names are unique in a flow.
///
/// A definition alone offers nothing and handles nothing: a step exposes it with `#[tool]` or
/// `use_tools`.
///
/// ```
/// use picoflow_core::ToolDefinition;
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema)]
/// struct UserName {
///     name: String,
/// }
///
/// let typed = ToolDefinition::of::<UserName>("user_name", "Capture name of user");
/// assert_eq!(typed.schema()["required"], json!(["name"]));
///
/// let written = ToolDefinition::new("ping", "Answer", json!({ "type": "object", "properties": {} }));
/// assert_eq!(written.name(), "ping");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolDefinition {
    name: String,
    description: String,
    schema: Value,
}

impl ToolDefinition {
    /// A definition with the schema of `T`.
    pub fn of<T: JsonSchema>(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, schema_of::<T>())
    }

    /// A definition with a schema that you wrote. Name and schema are checked when the engine is built.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into().trim().to_owned(),
            schema,
        }
    }

    /// The name that the model uses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model reads to decide whether to call it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON schema of the arguments, draft 2020-12.
    pub const fn schema(&self) -> &Value {
        &self.schema
    }
}
