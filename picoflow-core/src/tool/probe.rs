//! Whether types are those of a handler, where the macro cannot tell: it sees names, and an alias has any name.
//!
//! An inherent member comes before a trait's of the same name, and counts only where its bounds hold. So
//! `Probe::<T>::ANSWERS` is true for what a handler may return, and otherwise the `false` of [`Unfit`], which is in
//! scope.

use super::{CallView, Faults, IntoToolResponse, ToolError, ToolResult, field, table::FieldRow};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

/// A type, or a value of it, that may be a handler's.
#[derive(Debug)]
pub struct Probe<T>(pub T);

/// What the schema of a parameter needs to know of its type.
#[derive(Clone, Copy, Debug)]
pub struct FieldType {
    schema: fn(&mut SchemaGenerator) -> Schema,
    is_optional: fn() -> bool,
}

impl<T: DeserializeOwned + JsonSchema> Probe<T> {
    /// The type as that of a named parameter.
    pub const FIELD: Option<FieldType> = {
        let FieldRow { schema, is_optional, .. } = FieldRow::of::<T>("", None);
        Some(FieldType { schema, is_optional })
    };

    /// Reads a named parameter.
    pub fn field(call: &CallView<'_>, name: &str, faults: &mut Faults) -> Option<T> {
        field(call, name, faults)
    }
}

impl<T: IntoToolResponse> Probe<T> {
    /// Whether a handler may return it.
    pub const ANSWERS: bool = true;

    /// The answer as a response.
    ///
    /// # Errors
    /// Those of the handler.
    pub fn reply(self) -> ToolResult {
        self.0.into_tool_response()
    }
}

/// What is said of every other type. The functions are compiled and never run: the build leaves such a method out.
pub trait Unfit: Sized {
    /// The type itself.
    type Type;
    /// It cannot be read from arguments.
    const FIELD: Option<FieldType> = None;
    /// It answers nothing.
    const ANSWERS: bool = false;

    /// Reads nothing.
    fn field(_call: &CallView<'_>, _name: &str, _faults: &mut Faults) -> Option<Self::Type> {
        None
    }

    /// Answers nothing.
    ///
    /// # Errors
    /// Always.
    fn reply(self) -> ToolResult {
        Err(ToolError::internal("the method cannot be a handler"))
    }
}

impl<T> Unfit for Probe<T> {
    type Type = T;
}

impl FieldRow {
    /// The row of a parameter of a probed type. Where the type does not fit, nobody reads the row.
    pub const fn probed(name: &'static str, ty: Option<FieldType>) -> Self {
        match ty {
            Some(FieldType { schema, is_optional }) => {
                Self { name, description: None, schema, is_optional }
            }
            None => Self::of::<()>(name, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxError, Json, ToolResponse};

    type Reply = ToolResponse;
    struct Opaque;

    #[test]
    fn types_of_handlers_are_known_through_aliases() {
        const {
            assert!(Probe::<Reply>::ANSWERS);
            assert!(Probe::<Result<Reply, std::io::Error>>::ANSWERS);
            assert!(Probe::<Result<Json<u8>, ToolError>>::ANSWERS);
            assert!(Probe::<Option<String>>::FIELD.is_some());
        }
    }

    #[test]
    fn other_types_are_not_those_of_handlers() {
        const {
            assert!(!Probe::<Option<Reply>>::ANSWERS);
            assert!(!Probe::<Json<Opaque>>::ANSWERS);
            assert!(!Probe::<Result<(), BoxError>>::ANSWERS);
            assert!(Probe::<Opaque>::FIELD.is_none());
        }
    }
}
