//! Tools: what the model is offered, what it calls, and what comes back.

pub(crate) mod args;
mod call;
pub mod check;
mod definition;
mod error;
#[cfg(feature = "validate")]
mod explain;
mod fit;
#[cfg(feature = "validate")]
mod groups;
mod json;
mod name;
pub(crate) mod probe;
pub(crate) mod raw;
mod result;
mod schema;
mod shape;
mod strict;
pub(crate) mod table;
mod unknown;
mod validator;

pub use args::{Args, CallView, Faults, arguments, field};
pub use call::ToolCall;
pub use definition::ToolDefinition;
pub use error::ToolError;
pub(crate) use error::{ArgumentFault, Failure};
pub use fit::without_absent;
pub(crate) use fit::{fit, fit_value};
pub(crate) use json::{Json as Parsed, Node};
pub(crate) use name::{is_tool_name, tool_name};
pub use result::{IntoToolResponse, Json, ToolResult};
pub(crate) use schema::bad_names;
pub use schema::{no_arguments, schema_of};
pub use strict::{strict_form, try_strict_form};
pub(crate) use unknown::Unknown;
pub(crate) use validator::ToolValidator;
