//! Tools: what the model is offered, what it calls, and what comes back.

pub(crate) mod args;
mod call;
pub mod check;
mod definition;
mod error;
pub(crate) mod raw;
mod result;
mod schema;
pub(crate) mod table;
mod validator;

pub use args::{Args, CallView, arguments};
pub use call::ToolCall;
pub use definition::ToolDefinition;
pub(crate) use error::Failure;
pub use error::ToolError;
pub use result::{IntoToolResponse, Json, ToolResult};
pub use schema::{no_arguments, schema_of};
pub(crate) use validator::ToolValidator;
