//! From the model's argument text to what a handler takes.

use super::{ToolCall, ToolError, error::ArgumentFault};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use std::fmt::Write;

/// The whole argument object of a call, as a handler's parameter.
///
/// `T` gives the schema and reads the arguments, so the two cannot differ. `Args<serde_json::Value>`
/// takes them raw.
///
/// ```
/// use picoflow_core::Args;
///
/// let Args(name) = Args("Ann");
/// assert_eq!(name, "Ann");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Args<T>(pub T);

/// A call on its way to a handler: the arguments were parsed already if they were validated.
#[derive(Debug)]
pub struct CallView<'a> {
    call: &'a ToolCall,
    parsed: Option<Value>,
}

impl<'a> CallView<'a> {
    pub(crate) const fn new(call: &'a ToolCall, parsed: Option<Value>) -> Self {
        Self { call, parsed }
    }

    /// The call itself.
    pub const fn call(&self) -> &'a ToolCall {
        self.call
    }

    /// The arguments as JSON.
    ///
    /// # Errors
    /// When they are no JSON.
    pub(crate) fn into_value(self) -> Result<Value, ToolError> {
        self.parsed.map_or_else(|| parse(self.call), Ok)
    }

    /// A copy of the call, for handlers that take it by value.
    pub fn to_call(&self) -> ToolCall {
        self.call.clone()
    }
}

/// Reads the whole argument object of `call`.
///
/// # Errors
/// When the arguments do not fit `T`: with the JSON path and what was expected.
pub fn arguments<T: DeserializeOwned + JsonSchema>(call: &CallView<'_>) -> Result<T, ToolError> {
    match &call.parsed {
        // The first pass keeps no path, which is what makes it fast; only a failure pays for one.
        Some(value) => T::deserialize(value).or_else(|_| from_value(value)),
        None => from_text(call.call.arguments()),
    }
}

pub(super) fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, ToolError> {
    serde_json::from_str(text).or_else(|_| from_value(&parse_text::<Value>(text)?))
}

fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(value).map_err(|error| fault(&error))
}

fn fault(error: &serde_path_to_error::Error<serde_json::Error>) -> ToolError {
    let mut path = String::new();
    for segment in error.path() {
        // Writing to a string cannot fail.
        let _ = match segment {
            Segment::Seq { index } => write!(path, "/{index}"),
            Segment::Map { key } => write!(path, "/{key}"),
            Segment::Enum { variant } => write!(path, "/{variant}"),
            Segment::Unknown => Ok(()),
        };
    }
    let message = error.inner().to_string();
    ToolError::arguments(vec![ArgumentFault::new(path, message)])
}

/// What had to be done to a call's arguments before they could be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// They were JSON written into a JSON string.
    Doubled,
}

/// Brings the argument text of `call` into the one form that everything after it expects: absent and
/// `null` mean no arguments, and JSON that was written into a JSON string is taken out of it, once.
/// Anything else stays as it is and fails where it is read.
pub(crate) fn normalise(call: &mut ToolCall) -> Option<Repair> {
    let text = call.arguments().trim();
    if text.is_empty() || text == "null" {
        call.set_arguments("{}".to_owned());
        return None;
    }
    if !text.starts_with('"') {
        return None;
    }
    let inner: String = serde_json::from_str(text).ok()?;
    if !inner.trim_start().starts_with('{') {
        return None;
    }
    let object: Value = serde_json::from_str(&inner).ok()?;
    call.set_arguments(object.to_string());
    Some(Repair::Doubled)
}

/// Parses arguments that are to be validated.
///
/// # Errors
/// When the text is no JSON.
pub(crate) fn parse<T: DeserializeOwned>(call: &ToolCall) -> Result<T, ToolError> {
    parse_text(call.arguments())
}

fn parse_text<T: DeserializeOwned>(text: &str) -> Result<T, ToolError> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("malformed JSON: {error}");
        ToolError::arguments(vec![ArgumentFault::new(String::new(), message)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Trip {
        legs: Vec<Leg>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Leg {
        km: u32,
    }

    #[test]
    fn a_fault_names_its_path_from_text_and_from_a_value() {
        let text = r#"{"legs":[{"km":1},{"km":"far"}]}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        for error in [
            from_text::<Trip>(text).unwrap_err(),
            from_value::<Trip>(&value).unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(text.contains("/legs/1/km"), "{text}");
            assert!(text.contains("expected u32"), "{text}");
        }
    }

    #[test]
    fn absent_and_null_arguments_are_an_empty_object() {
        for text in ["", "  ", "null", " null\n"] {
            let mut call = ToolCall::from_text("1", "t", text);
            assert_eq!(normalise(&mut call), None);
            assert_eq!(call.arguments(), "{}");
        }
    }

    #[test]
    fn doubled_json_is_taken_out_once() {
        let mut call = ToolCall::from_text("1", "t", r#""{\"a\":1}""#);
        assert_eq!(normalise(&mut call), Some(Repair::Doubled));
        assert_eq!(call.arguments(), r#"{"a":1}"#);
        for text in [r#""hello""#, r#""{\"a\":""#, "{\"a\":", "[1]"] {
            let mut call = ToolCall::from_text("1", "t", text);
            assert_eq!(normalise(&mut call), None);
            assert_eq!(call.arguments(), text);
        }
    }
}
