//! One call that the model made.

use super::{ToolError, args};
use crate::storable::is_storable;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error},
    ser::SerializeStruct,
};
use serde_json::{Value, value::RawValue};

/// One tool call of a model's reply.
///
/// The arguments are kept as the text that the model sent: types are read from it when they are asked for, and a
/// text that is no JSON is still there to be shown. In a session document they stand as JSON, or as a
/// string where they are none.
///
/// ```
/// use picoflow_core::ToolCall;
/// use serde_json::json;
///
/// let call = ToolCall::new("call_1", "dob", &json!({ "year": 2000 }));
/// assert_eq!(call.arguments(), r#"{"year":2000}"#);
/// assert_eq!(call.args::<serde_json::Value>().unwrap()["year"], 2000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    id: String,
    name: String,
    arguments: String,
}

impl ToolCall {
    /// A call with arguments that are JSON already.
    /// See [`ToolCall`] for an example.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: &Value) -> Self {
        Self::from_text(id, name, arguments.to_string())
    }

    /// A call with the argument text as a provider sent it, whether it is JSON or not.
    ///
    /// ```
    /// use picoflow_core::ToolCall;
    ///
    /// let call = ToolCall::from_text("call_1", "dob", "{\"year\":");
    /// assert!(call.args::<serde_json::Value>().is_err());
    /// ```
    pub fn from_text(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }

    /// The id that the provider gave the call; its answer carries the same.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The argument text.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// The arguments as `T`, the whole object.
    ///
    /// # Errors
    /// When the text is no JSON or does not fit `T`. The error is one that the model sees, with the
    /// JSON path and what was expected, so that a handler can hand it on with `?`.
    ///
    /// ```
    /// use picoflow_core::ToolCall;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Dob {
    ///     year: u16,
    /// }
    ///
    /// let dob: Dob = ToolCall::new("call_1", "dob", &json!({ "year": 2000 })).args()?;
    /// assert_eq!(dob.year, 2000);
    /// let error = ToolCall::new("call_2", "dob", &json!({ "year": "?" })).args::<Dob>().err().unwrap();
    /// assert!(error.to_string().contains("`/year`"));
    /// # Ok::<(), picoflow_core::ToolError>(())
    /// ```
    pub fn args<T: DeserializeOwned + JsonSchema>(&self) -> Result<T, ToolError> {
        args::from_text(&self.arguments)
    }

    pub(crate) fn set_arguments(&mut self, text: String) {
        self.arguments = text;
    }

    pub(crate) fn set_name(&mut self, name: String) {
        self.name = name;
    }

    pub(crate) fn set_id(&mut self, id: String) {
        self.id = id;
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut call = serializer.serialize_struct("ToolCall", 3)?;
        call.serialize_field("name", &self.name)?;
        // A string in the document is always the text as the model sent it.
        let is_text = self.arguments.trim_start().starts_with('"') || !is_storable(&self.arguments);
        match serde_json::from_str::<&RawValue>(&self.arguments) {
            Ok(json) if !is_text => call.serialize_field("args", json)?,
            _ => call.serialize_field("args", &self.arguments)?,
        }
        call.serialize_field("id", &self.id)?;
        call.end()
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Document {
            name: String,
            args: Box<RawValue>,
            id: String,
        }
        let Document { name, args, id } = Document::deserialize(deserializer)?;
        let args = args.get();
        if args.starts_with('"') {
            let text: String = serde_json::from_str(args).map_err(D::Error::custom)?;
            return Ok(Self::from_text(id, name, text));
        }
        Ok(Self::from_text(id, name, args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_survive_the_document_whether_they_are_json_or_not() {
        for text in
            [r#"{"a":1}"#, r#"{ "a" : 1.0 }"#, "{\"a\":", "", "null", r#""{\"a\":1}""#, "\"half"]
        {
            let call = ToolCall::from_text("1", "t", text);
            let document = serde_json::to_string(&call).unwrap();
            let back: ToolCall = serde_json::from_str(&document).unwrap();
            assert_eq!(back, call);
            let value = serde_json::to_value(&call).unwrap();
            assert!(serde_json::from_value::<ToolCall>(value).is_ok());
        }
    }

    #[test]
    fn the_document_holds_json_as_json() {
        let call = ToolCall::from_text("1", "t", r#"{"a":1}"#);
        assert_eq!(
            serde_json::to_value(&call).unwrap(),
            json!({ "name": "t", "args": { "a": 1 }, "id": "1" })
        );
    }
}
