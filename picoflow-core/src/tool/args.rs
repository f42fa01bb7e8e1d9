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

/// A call on its way to a handler, with its arguments as JSON if they were validated.
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
    from_text(call.call.arguments())
}

/// One way to read arguments, whether they were validated or not: each deserializer that is used here is compiled
/// once for the arguments of every tool.
pub(super) fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, ToolError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| fault(&error))?;
    json.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn fault(error: &serde_path_to_error::Error<serde_json::Error>) -> ToolError {
    if !error.inner().is_data() {
        return malformed(error.inner());
    }
    let mut path = String::new();
    for segment in error.path() {
        // Writing to a string cannot fail.
        let _ = match segment {
            Segment::Seq { index } => write!(path, "/{index}"),
            Segment::Map { key } => {
                let key = key.replace('~', "~0").replace('/', "~1");
                write!(path, "/{key}")
            }
            Segment::Enum { variant } => write!(path, "/{variant}"),
            Segment::Unknown => Ok(()),
        };
    }
    let message = without_place(&error.inner().to_string()).to_owned();
    ToolError::arguments(vec![ArgumentFault::new(path, message)])
}

/// The path says where; line and column say it again, in a text that nobody sees.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text)
}

fn malformed(error: &serde_json::Error) -> ToolError {
    let message = format!("malformed JSON: {error}");
    ToolError::arguments(vec![ArgumentFault::new(String::new(), message)])
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
    serde_json::from_str(call.arguments()).map_err(|error| malformed(&error))
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
    fn a_fault_names_its_path_what_was_expected_and_what_came() {
        let text = r#"{"legs":[{"km":1},{"km":"far at line 3"}]}"#;
        let error = from_text::<Trip>(text).unwrap_err().to_string();
        assert_eq!(error, "at `/legs/1/km`: invalid type: string \"far at line 3\", expected u32");
    }

    #[test]
    fn a_text_that_is_no_json_is_called_so() {
        for text in ["", "{", "{\"legs\":[}", "{\"legs\":[]} and more"] {
            let error = from_text::<Trip>(text).unwrap_err().to_string();
            assert!(error.starts_with("malformed JSON"), "{text}: {error}");
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
