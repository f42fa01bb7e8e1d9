//! What a tool is: name, description, schema.

use super::{schema_of, try_strict_form};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// A tool as the model sees it.
///
/// Names are unique in a flow.
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
    #[serde(skip)]
    is_strict: bool,
    #[serde(skip)]
    is_lenient: bool,
}

impl ToolDefinition {
    /// A definition with the schema of `T`.
    /// See [`ToolDefinition`] for an example.
    pub fn of<T: JsonSchema>(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(name, description, schema_of::<T>())
    }

    /// A definition with a schema that you wrote.
    ///
    /// It is checked when the engine is built: the name has 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`, which is what
    /// the documentation of OpenAI and of Anthropic asks for; the schema is that of an object; the description says
    /// something.
    /// See [`ToolDefinition`] for an example.
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into().trim().to_owned(),
            schema,
            is_strict: false,
            is_lenient: false,
        }
    }

    /// The same in the strict form that some providers want: the model is told a schema in which every property is
    /// required, optional ones may be `null`, and objects are closed. What it sends is read as before, and an argument
    /// that no parameter has is refused. A schema without a strict form, see [`strict_form`](crate::strict_form), is
    /// told as it is, and the build report warns of it.
    ///
    /// ```
    /// use picoflow_core::{ToolDefinition, strict_form};
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    /// let tool = ToolDefinition::new("count", "Count", schema).strict();
    /// assert_eq!(
    ///     strict_form(tool.schema()),
    ///     json!({
    ///         "type": "object",
    ///         "properties": { "n": { "type": ["integer", "null"] } },
    ///         "required": ["n"],
    ///         "additionalProperties": false,
    ///     })
    /// );
    /// ```
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// The same for models that write numbers as strings: `"5"` is taken for `5` where the schema wants a number.
    ///
    /// ```
    /// use picoflow_core::{NativeTool, ToolContext, ToolDefinition};
    /// use serde_json::{Value, json};
    ///
    /// let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    /// let twice = ToolDefinition::new("twice", "Twice a number", schema).lenient();
    /// let twice = NativeTool::new(twice, |args: Value, _cx| async move {
    ///     (args["n"].as_i64().unwrap_or(0) * 2).to_string()
    /// });
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// assert_eq!(twice.execute(json!({ "n": "21" }), &ToolContext::default()).await.output, "42");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// The same with the flags of a table's row.
    pub(crate) const fn with(mut self, strict: bool, lenient: bool) -> Self {
        self.is_strict = strict;
        self.is_lenient = lenient;
        self
    }

    /// Whether the model is told the strict form.
    pub const fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Whether numbers may come as strings.
    pub const fn is_lenient(&self) -> bool {
        self.is_lenient
    }

    /// As a model is told it that wants the strict form, and why there is none, if so: it is told as it is then.
    pub(crate) fn told_strictly(&self) -> (Self, Option<String>) {
        match try_strict_form(&self.schema) {
            Ok(schema) => (Self { schema, is_strict: true, ..self.clone() }, None),
            Err(reason) => (Self { is_strict: false, ..self.clone() }, Some(reason)),
        }
    }

    /// As a model is told it that wants strict forms or does not.
    pub(crate) fn told(self: &Arc<Self>, is_strict: bool) -> Arc<Self> {
        if is_strict || self.is_strict {
            Arc::new(self.told_strictly().0)
        } else {
            Arc::clone(self)
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
