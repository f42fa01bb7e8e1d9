//! Arguments against the schema that the model was told.

use super::{Parsed, ToolError, shape::Shapes};
#[cfg(feature = "validate")]
use super::{explain, groups::closed_groups, json::Arguments};
use serde_json::Value;

/// The compiled schema of a tool. Without the feature `validate` it accepts everything, and the handler's types
/// are the only check.
pub(crate) struct ToolValidator {
    shapes: Shapes,
    #[cfg(feature = "validate")]
    schema: Option<jsonschema::Validator<Arguments>>,
}

/// How many faults of one call are reported.
#[cfg(feature = "validate")]
const MOST_FAULTS: usize = 8;

#[cfg(feature = "validate")]
impl ToolValidator {
    /// # Errors
    /// What is wrong with the schema.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        jsonschema::options_for::<Arguments>()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&closed_groups(schema))
            .map(|compiled| Self { shapes: Shapes::compile(schema), schema: Some(compiled) })
            .map_err(|error| format!("is no JSON schema: {error}"))
    }

    /// Accepts everything.
    pub(crate) fn lenient() -> Self {
        Self { shapes: Shapes::compile(&Value::Bool(true)), schema: None }
    }

    /// # Errors
    /// Every place that does not fit, up to a bound.
    pub(crate) fn check(&self, arguments: &Parsed<'_>) -> Result<(), ToolError> {
        let Some(schema) = &self.schema else {
            return Ok(());
        };
        if schema.is_valid(arguments) {
            return Ok(());
        }
        let faults = schema.iter_errors(arguments);
        let faults = faults.flat_map(|error| explain::faults(&error, arguments, &self.shapes));
        Err(ToolError::arguments(faults.take(MOST_FAULTS).collect()))
    }
}

#[cfg(not(feature = "validate"))]
#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the same face as with the feature"
)]
impl ToolValidator {
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        Ok(Self { shapes: Shapes::compile(schema) })
    }

    pub(crate) fn lenient() -> Self {
        Self { shapes: Shapes::compile(&Value::Bool(true)) }
    }

    pub(crate) fn check(&self, _arguments: &Parsed<'_>) -> Result<(), ToolError> {
        Ok(())
    }
}

impl ToolValidator {
    /// What the schema says of names and choices.
    pub(crate) const fn shapes(&self) -> &Shapes {
        &self.shapes
    }
}

#[cfg(all(test, feature = "validate"))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_place_is_named_with_what_was_expected_and_what_came() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "items": { "maximum": 5 } } },
            "required": ["a", "c"]
        });
        let validator = ToolValidator::compile(&schema).unwrap();
        let error =
            validator.check(&Parsed::parse(r#"{ "a": "x", "b": [1, 9] }"#).unwrap()).unwrap_err();
        let text = error.to_string();
        for part in ["`/a`", "integer", "\"x\"", "`/b/1`", "9", "maximum", "\"c\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_large_value_is_quoted_in_part() {
        let validator = ToolValidator::compile(&json!({ "maxLength": 3 })).unwrap();
        let error = validator.check(&Parsed::Text("ä".repeat(1_000_000).into())).unwrap_err();
        let text = error.to_string();
        assert!(text.len() < 500, "{}", text.len());
        assert!(text.contains("longer than 3"), "{text}");
    }
}
