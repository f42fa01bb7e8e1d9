//! From the model's argument text to what a handler takes.

use super::{
    ToolCall, ToolError,
    error::ArgumentFault,
    fit_value,
    json::{Json, Misfit, Node, beyond_floats},
    schema_of,
    shape::Shapes,
};
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;

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

/// A call on its way to a handler, with its arguments parsed.
#[derive(Debug)]
pub struct CallView<'a> {
    call: &'a ToolCall,
    arguments: Json<'a>,
}

impl<'a> CallView<'a> {
    /// # Errors
    /// When the arguments are no JSON.
    #[inline]
    pub(crate) fn parse(call: &'a ToolCall) -> Result<Self, ToolError> {
        Ok(Self { call, arguments: parse(call.arguments())? })
    }

    /// The call itself.
    pub const fn call(&self) -> &'a ToolCall {
        self.call
    }

    #[inline]
    pub(crate) const fn arguments(&self) -> &Json<'a> {
        &self.arguments
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
// One copy for all tools that take this type, which is most of what a tool costs to compile.
#[inline(never)]
pub fn arguments<T: DeserializeOwned + JsonSchema>(call: &CallView<'_>) -> Result<T, ToolError> {
    read(&call.arguments, schema_of::<T>)
}

/// Reads one field of the argument object of `call`; what does not fit is added to `faults`.
pub fn field<T: DeserializeOwned + JsonSchema>(
    call: &CallView<'_>,
    name: &str,
    faults: &mut Faults,
) -> Option<T> {
    let node = faults.node(&call.arguments, name)?;
    match T::deserialize(node) {
        Ok(value) => Some(value),
        Err(error) => {
            if let Some(fitted) = node.value().and_then(|value| fitted(value, schema_of::<T>))
                && let Ok(value) = T::deserialize(Node::of(&fitted))
            {
                return Some(value);
            }
            faults.add(node, name, error);
            None
        }
    }
}

/// What is wrong with the arguments of a call, field by field.
#[derive(Debug)]
pub struct Faults(Vec<ArgumentFault>);

impl Faults {
    /// None yet.
    pub const NONE: Self = Self(Vec::new());

    /// The field `name`, unless it cannot be told which one is meant.
    #[inline]
    fn node<'a>(&mut self, arguments: &'a Json<'a>, name: &str) -> Option<Node<'a>> {
        let Json::Object(fields) = arguments else {
            // Every field finds it, one says it.
            if self.0.is_empty() {
                let found = Node::of(arguments).unexpected();
                self.put(Misfit::invalid_type(found, &"an object"));
            }
            return None;
        };
        let mut found = fields.iter().filter(|(key, _)| key == name);
        let node = found.next().map_or(Node::MISSING, |(_, value)| Node::of(value));
        if found.next().is_some() {
            self.put(Misfit::custom(format_args!("duplicate field `{name}`")));
            return None;
        }
        Some(node)
    }

    fn add(&mut self, node: Node<'_>, name: &str, error: Misfit) {
        self.put(if node.is_missing() {
            Misfit::custom(format_args!("missing field `{name}`"))
        } else {
            error.under(name)
        });
    }

    fn put(&mut self, error: Misfit) {
        self.0.push(ArgumentFault::new(error.path(), error.into_message()));
    }

    /// The error of the call.
    pub fn into_error(self) -> ToolError {
        ToolError::arguments(self.0)
    }
}

/// The arguments of a call, parsed.
///
/// # Errors
/// When the text is no JSON.
#[inline]
fn parse(text: &str) -> Result<Json<'_>, ToolError> {
    Json::parse(text).map_err(|error| {
        let fault = match beyond_floats(text) {
            Some(path) => ArgumentFault::new(path, "number out of range".to_owned()),
            None => ArgumentFault::new(String::new(), format!("malformed JSON: {error}")),
        };
        ToolError::arguments(vec![fault])
    })
}

fn read<T: DeserializeOwned>(arguments: &Json<'_>, schema: fn() -> Value) -> Result<T, ToolError> {
    let error = match T::deserialize(Node::of(arguments)) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if let Some(fitted) = fitted(arguments, schema)
        && let Ok(value) = T::deserialize(Node::of(&fitted))
    {
        return Ok(value);
    }
    Err(unfit(error))
}

fn unfit(error: Misfit) -> ToolError {
    ToolError::arguments(vec![ArgumentFault::new(error.path(), error.into_message())])
}

/// Arguments with whole numbers written as integers where the type that refused them wants integers. Where serde keeps
/// a value before it knows the type, in a flattened or an internally tagged one, it does not take a float for an integer.
#[cold]
fn fitted<'t>(arguments: &Json<'t>, schema: fn() -> Value) -> Option<Json<'t>> {
    if !arguments.has_whole() {
        return None;
    }
    let mut fitted = arguments.clone();
    fit_value(&mut fitted, &Shapes::compile(&schema()), false).then_some(fitted)
}

/// Reads the argument text of a call that no handler was given yet.
///
/// # Errors
/// When the text is no JSON, or does not fit `T`.
pub(super) fn from_text<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, ToolError> {
    let arguments = parse(text)?;
    // A type that takes several forms would take a whole number that is written as a float for another one.
    let arguments = fitted(&arguments, schema_of::<T>).unwrap_or(arguments);
    T::deserialize(Node::of(&arguments)).map_err(unfit)
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
    let object = inner.trim();
    if !(object.starts_with('{') && object.ends_with('}')) {
        return None;
    }
    // With every digit, and with what comes twice. What cannot be read says so where it is checked.
    let written = Json::parse(object).ok().and_then(|object| serde_json::to_string(&object).ok());
    call.set_arguments(written.unwrap_or_else(|| object.to_owned()));
    Some(Repair::Doubled)
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
        for inner in [r#"{"n":18446744073709551617}"#, r#"{"n":1.0,"n":2}"#, r#"{"n":1e400}"#] {
            let mut call = ToolCall::from_text("1", "t", format!("{inner:?}"));
            assert_eq!(normalise(&mut call), Some(Repair::Doubled));
            assert_eq!(call.arguments(), inner);
        }
        for text in [r#""hello""#, r#""{\"a\":""#, "{\"a\":", "[1]"] {
            let mut call = ToolCall::from_text("1", "t", text);
            assert_eq!(normalise(&mut call), None);
            assert_eq!(call.arguments(), text);
        }
    }
}
