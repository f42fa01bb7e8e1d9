//! What a native tool answers.

use crate::{
    Json, ToolError, ToolResponse,
    response::stay_with,
    storable,
    tool::{Failure, ToolResult},
};
use serde::Serialize;
use serde_json::Value;

/// What the model is told about an error that is not for it.
pub(crate) const FAILED: &str =
    "The tool failed for an internal reason. Do not assume that it did anything.";

/// What a native tool answered: a value, or an error, in the words that a model may see.
///
/// ```
/// use picoflow_core::{ToolError, ToolOutput};
/// use serde_json::json;
///
/// let output = ToolOutput::value(json!({ "left": 3 }));
/// assert_eq!((output.text().as_str(), output.is_error), (r#"{"left":3}"#, false));
///
/// let output = ToolOutput::from(ToolError::feedback("no such order"));
/// assert_eq!((output.text().as_str(), output.is_error), ("no such order", true));
/// assert!(output.error().is_some());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The answer. A text is a string.
    pub output: Value,
    /// Whether the tool did not do what it was asked.
    pub is_error: bool,
    error: Option<ToolError>,
}

impl ToolOutput {
    /// An answer.
    /// See [`ToolOutput`] for an example.
    pub fn value(output: impl Into<Value>) -> Self {
        Self { output: output.into(), is_error: false, error: None }
    }

    /// The answer as a text for a model: a string as it is, anything else as JSON.
    /// See [`ToolOutput`] for an example.
    pub fn text(&self) -> String {
        match &self.output {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }

    /// The error behind an answer that is one, with what the model does not see.
    pub const fn error(&self) -> Option<&ToolError> {
        self.error.as_ref()
    }

    /// As the result of a handler: the answer goes back to the model, and the step stays.
    pub(crate) fn into_result(self) -> ToolResult {
        let text = self.text();
        match self.error {
            Some(error) => Err(error),
            None => Ok::<ToolResponse, _>(stay_with(text)),
        }
    }
}

impl From<ToolError> for ToolOutput {
    fn from(error: ToolError) -> Self {
        let text = match &error.0 {
            Failure::Feedback(text) => text.clone(),
            Failure::Arguments(_) => format!("Invalid arguments: {error}"),
            Failure::Internal(_) | Failure::Abort(_) => FAILED.to_owned(),
        };
        Self { output: Value::String(text), is_error: true, error: Some(error) }
    }
}

/// What a native tool may return: a text, `Json<T>`, a [`ToolOutput`], or a `Result` of those.
///
/// ```
/// use picoflow_core::{Json, ToolOutput, native::IntoToolOutput};
///
/// assert_eq!("done".into_tool_output().output, "done");
/// assert_eq!(Json(3).into_tool_output().output, 3);
/// assert!("x".parse::<u8>().map(Json).into_tool_output().is_error);
/// ```
#[diagnostic::on_unimplemented(
    message = "a native tool cannot return `{Self}`",
    label = "no answer for a model",
    note = "return `String`, `&'static str`, `Json<T>`, `ToolOutput`, or a `Result` of those with an error that converts into `ToolError`"
)]
pub trait IntoToolOutput {
    /// The output.
    /// See [`IntoToolOutput`] for an example.
    fn into_tool_output(self) -> ToolOutput;
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> Self {
        self
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::value(self)
    }
}

impl IntoToolOutput for &'static str {
    fn into_tool_output(self) -> ToolOutput {
        ToolOutput::value(self)
    }
}

impl<T: Serialize> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> ToolOutput {
        match storable::to_value(&self.0) {
            Ok(value) => ToolOutput::value(value),
            Err(error) => ToolError::internal(error).into(),
        }
    }
}

impl<T: IntoToolOutput, E: Into<ToolError>> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> ToolOutput {
        match self {
            Ok(value) => value.into_tool_output(),
            Err(error) => error.into().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_internal_error_are_kept_from_the_model() {
        let parsed = "x".parse::<u8>().map(Json);
        let output = parsed.into_tool_output();
        assert!(output.is_error);
        assert_eq!(output.output, FAILED);
        let error = output.error().map(ToString::to_string);
        assert_eq!(error.as_deref(), Some("invalid digit found in string"));
    }
}
