//! Tools: what the model is offered, what it calls, and what comes back.

pub(crate) mod args;
mod call;
pub mod check;
mod definition;
mod error;
mod fit;
pub(crate) mod raw;
mod result;
mod schema;
mod strict;
pub(crate) mod table;
mod validator;

pub use args::{Args, CallView, arguments};
pub use call::ToolCall;
pub use definition::ToolDefinition;
pub(crate) use error::Failure;
pub use error::ToolError;
pub(crate) use fit::fit;
pub use result::{IntoToolResponse, Json, ToolResult};
pub use schema::{no_arguments, schema_of};
pub use strict::strict_form;
pub(crate) use validator::ToolValidator;
