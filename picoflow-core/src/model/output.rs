//! Replies without tool calls.

use crate::tool::{Node, Parsed};
use serde::de::Error;
use serde_json::Value;

/// A reply without tool calls, as `on_response` gets it.
///
/// ```
/// use picoflow_core::ModelOutput;
/// use serde_json::json;
///
/// assert_eq!(ModelOutput::Text("Yes.".to_owned()).as_text(), "Yes.");
/// let object = ModelOutput::Structured(json!({ "age": 20 }));
/// assert_eq!(object.as_text(), "");
/// assert_eq!(object.into_text(), r#"{"age":20}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelOutput {
    /// The text.
    Text(String),
    /// The parsed object of a step with an output schema.
    Structured(Value),
}

impl ModelOutput {
    /// The text, or the object as JSON text.
    /// See [`ModelOutput`] for an example.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Structured(value) => value.to_string(),
        }
    }

    /// The text; empty for a structured reply.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Structured(_) => "",
        }
    }

    /// The reply as `T`: the object of a structured reply, or JSON in the text, with or without a
    /// Markdown fence around it.
    ///
    /// A whole number is an integer, however it is written.
    ///
    /// # Errors
    /// When the text is no JSON or does not fit `T`.
    ///
    /// ```
    /// use picoflow_core::model::ModelOutput;
    ///
    /// let output = ModelOutput::Text("```json\n[1, 2.0]\n```".to_owned());
    /// assert_eq!(output.parse::<Vec<u8>>()?, [1, 2]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> serde_json::Result<T> {
        match self {
            Self::Text(text) => read(without_fence(text)),
            Self::Structured(value) => {
                T::deserialize(value).or_else(|error| read(&value.to_string()).map_err(|_| error))
            }
        }
    }
}

/// Reads JSON as the arguments of tools are read.
fn read<T: serde::de::DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let json = Parsed::parse(text)?;
    T::deserialize(Node::of(&json)).map_err(|misfit| match misfit.path() {
        path if path.is_empty() => serde_json::Error::custom(misfit),
        path => serde_json::Error::custom(format_args!("at `{path}`: {misfit}")),
    })
}

/// The inside of a Markdown code fence, or the text as it is.
pub(crate) fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'));
    inside.map_or(text, |(_language, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_taken_off_only_when_they_are_whole() {
        assert_eq!(without_fence("```json\n{}\n```"), "{}");
        assert_eq!(without_fence(" {} "), "{}");
        assert_eq!(without_fence("```json {}"), "```json {}");
        assert_eq!(without_fence("```\n```"), "");
    }
}
