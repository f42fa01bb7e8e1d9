//! One call of a server's tool.

use super::{McpError, client::Shared, results::output};
use crate::{ToolError, ToolOutput};
use reqwest::Error as HttpError;
use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResponse},
    transport::streamable_http_client::StreamableHttpError,
};
use serde_json::Value;
use std::{error::Error, io};

impl Shared {
    /// Calls a tool by the server's name for it. What goes wrong is told to the model.
    ///
    /// A call that cannot have reached the server is made once more over a new connection. One whose outcome is not
    /// known is not.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let mut call = CallToolRequestParams::new(tool.to_owned());
        if let Value::Object(arguments) = arguments {
            call = call.with_arguments(arguments);
        }
        let first = match self.attempt(tool, call.clone()).await {
            Ok(output) => return output,
            Err(NotRun(reason)) => reason,
        };
        tracing::warn!(server = self.server.name, tool, %first, "the tool did not run: trying a new connection");
        match self.attempt(tool, call).await {
            Ok(output) => output,
            Err(NotRun(reason)) => {
                tracing::warn!(server = self.server.name, tool, %reason, "the tool did not run");
                self.told("could not be reached. The tool did not run.")
            }
        }
    }

    async fn attempt(&self, tool: &str, call: CallToolRequestParams) -> Result<ToolOutput, NotRun> {
        let running = self.running().await?;
        let has = self.has(&running, tool).await;
        if has.is_err() {
            self.forget(&running).await;
        }
        if !has? {
            tracing::warn!(server = self.server.name, tool, "the MCP server has this tool no more");
            return Ok(self.told(&format!("does not have the tool `{tool}` any more.")));
        }
        let limit = self.server.timeout;
        // A call that is given up is told to the server when its future is dropped.
        let Ok(answer) = tokio::time::timeout(limit, running.call_tool_once(call)).await else {
            let text =
                format!("gave no answer within {limit:?}. It is not known whether the tool ran.");
            return Ok(self.told(&text));
        };
        match answer {
            Ok(CallToolResponse::Complete(result)) => Ok(output(result)),
            Ok(_) => {
                Ok(self.told("asks for more than this program can give. The tool did not finish."))
            }
            Err(ServiceError::McpError(error)) => {
                Ok(ToolError::feedback(format!("{} (code {})", error.message, error.code.0)).into())
            }
            Err(error) => {
                let is_refused = cannot_have_run(&error);
                // An answer that is an error of HTTP does not end a session that other calls are in.
                if is_refused || running.is_transport_closed() {
                    self.forget(&running).await;
                }
                if is_refused {
                    return Err(NotRun(error.to_string()));
                }
                tracing::warn!(server = self.server.name, tool, %error, "the call's outcome is not known");
                Ok(self.told("was lost during the call. It is not known whether the tool ran."))
            }
        }
    }

    fn told(&self, what: &str) -> ToolOutput {
        ToolError::feedback(format!("The server `{}` {what}", self.server.name)).into()
    }
}

/// A call that did not get to the server, with the reason.
struct NotRun(String);

impl From<McpError> for NotRun {
    fn from(error: McpError) -> Self {
        Self(error.to_string())
    }
}

/// Whether a call that failed with this cannot have reached the server whole.
fn cannot_have_run(error: &ServiceError) -> bool {
    let mut error: Option<&(dyn Error + 'static)> = match error {
        ServiceError::TransportSend(error) => Some(&*error.error),
        _ => None,
    };
    while let Some(cause) = error {
        // A line that a pipe does not take is not read at its other end.
        if cause.downcast_ref().is_some_and(|io: &io::Error| io.kind() == io::ErrorKind::BrokenPipe)
            || cause.downcast_ref().is_some_and(HttpError::is_connect)
            || matches!(cause.downcast_ref(), Some(StreamableHttpError::<HttpError>::Client(error)) if error.is_connect())
            || matches!(
                cause.downcast_ref(),
                Some(
                    StreamableHttpError::<HttpError>::SessionExpired
                        | StreamableHttpError::AuthRequired(_)
                        | StreamableHttpError::InsufficientScope(_)
                )
            )
        {
            return true;
        }
        error = cause.source();
    }
    false
}
