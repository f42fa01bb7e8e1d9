//! What a handler may return.

use super::ToolError;
use crate::{ToolResponse, response::stay_with, storable};
use serde::Serialize;

/// What every handler comes down to.
///
/// ```
/// use picoflow_core::{ToolResult, stay};
///
/// let result: ToolResult = Ok(stay());
/// assert!(result.is_ok());
/// ```
pub type ToolResult = Result<ToolResponse, ToolError>;

/// What a tool handler may return: a transition, data for the model, or a `Result` of those.
///
/// There is nothing to return that does not route: `()`, a text and an `Option` do not compile.
///
/// ```
/// use picoflow_core::{IntoToolResponse, Json, ToolError, stay_with};
///
/// assert!(stay_with("Which year?").into_tool_response().is_ok());
/// assert!(Json([1, 2]).into_tool_response().is_ok());
/// assert!(Err::<Json<u8>, _>(ToolError::feedback("no")).into_tool_response().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a routing result",
    note = "return `ToolResponse` (`go`, `stay`, `stay_with`, `direct`, `direct_to`, `finish`, `direct_result`), `Json<T>` to hand data to the model, or a `Result` of those with an error that converts into `ToolError`"
)]
pub trait IntoToolResponse {
    /// The transition.
    ///
    /// # Errors
    /// Why there is none.
    fn into_tool_response(self) -> ToolResult;
}

impl IntoToolResponse for ToolResponse {
    fn into_tool_response(self) -> ToolResult {
        Ok(self)
    }
}

impl<T: IntoToolResponse, E: Into<ToolError>> IntoToolResponse for Result<T, E> {
    fn into_tool_response(self) -> ToolResult {
        self.map_err(Into::into)?.into_tool_response()
    }
}

/// Data for the model, as a handler's result: the call is answered with it as JSON, the step stays, and
/// the model is called again.
///
/// ```
/// use picoflow_core::{IntoToolResponse, Json};
///
/// let response = Json(["red", "blue"]).into_tool_response().unwrap();
/// assert_eq!(response.tool_feedback(), Some(r#"["red","blue"]"#));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoToolResponse for Json<T> {
    // One copy for all tools that answer with this type.
    #[inline(never)]
    fn into_tool_response(self) -> ToolResult {
        Ok(stay_with(storable::to_string(&self.0)?))
    }
}
