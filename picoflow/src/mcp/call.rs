//! One call of a server's tool.

use super::{
    McpError,
    client::Shared,
    connect::{Running, Way},
    results::output,
};
use crate::{ToolError, ToolOutput};
use reqwest::Error as HttpError;
use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResponse, ClientRequest, ErrorCode, PingRequest},
    transport::streamable_http_client::StreamableHttpError,
};
use serde_json::Value;
use std::{io, time::Duration};

/// How long a server may take to say that it is there.
const PING: Duration = Duration::from_secs(5);

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
        crate::__report!(
            WARN,
            server = self.server.name,
            tool = tool,
            first = first,
            "the tool did not run: trying a new connection"
        );
        match self.attempt(tool, call).await {
            Ok(output) => output,
            Err(NotRun(reason)) => {
                crate::__report!(
                    WARN,
                    server = self.server.name,
                    tool = tool,
                    reason = reason,
                    "the tool did not run"
                );
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
            crate::__report!(
                WARN,
                server = self.server.name,
                tool = tool,
                "the MCP server has this tool no more"
            );
            return Ok(self.told(&format!("does not have the tool `{tool}` any more.")));
        }
        let limit = self.server.timeout;
        // A call that is given up is told to the server when its future is dropped.
        let Ok(answer) = tokio::time::timeout(limit, running.call_tool_once(call)).await else {
            if self.has_forgotten(&running).await {
                self.forget(&running).await;
            }
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
                let is_of_the_way = (-32099..=-32000).contains(&error.code.0);
                if is_of_the_way && self.has_forgotten(&running).await {
                    self.forget(&running).await;
                    return Err(NotRun(error.message.into_owned()));
                }
                Ok(ToolError::feedback(format!("{} (code {})", error.message, error.code.0)).into())
            }
            Err(error) => {
                let is_refused = cannot_have_run(&error);
                // A server that is overloaded has not forgotten the session that other calls are in.
                if is_refused || !is_status(&error) {
                    self.forget(&running).await;
                }
                if is_refused {
                    return Err(NotRun(error.to_string()));
                }
                crate::__report!(
                    WARN,
                    server = self.server.name,
                    tool = tool,
                    error = error,
                    "the call's outcome is not known"
                );
                Ok(self.told("was lost during the call. It is not known whether the tool ran."))
            }
        }
    }

    /// Whether a server at an address does not know our session any more, as after it was started anew. Many say that by
    /// an error of the protocol, or by one that belongs to no call, and not by the status that is meant for it.
    async fn has_forgotten(&self, running: &Running) -> bool {
        if !matches!(self.server.way, Way::Http { .. }) {
            return false;
        }
        let ping = running.send_request(ClientRequest::PingRequest(PingRequest::default()));
        match tokio::time::timeout(PING, ping).await {
            Ok(Err(ServiceError::McpError(error))) => error.code != ErrorCode::METHOD_NOT_FOUND,
            Ok(answer) => answer.is_err(),
            Err(_) => true,
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
    let ServiceError::TransportSend(sent) = error else { return false };
    // A line that a pipe does not take whole is not read at its other end.
    if let Some(error) = sent.error.downcast_ref::<io::Error>() {
        return error.kind() == io::ErrorKind::BrokenPipe;
    }
    match sent.error.downcast_ref::<StreamableHttpError<HttpError>>() {
        Some(StreamableHttpError::Client(error)) => error.is_connect(),
        Some(
            StreamableHttpError::SessionExpired
            | StreamableHttpError::AuthRequired(_)
            | StreamableHttpError::InsufficientScope(_),
        ) => true,
        _ => false,
    }
}

/// Whether the server answered with a status that says that it is there.
fn is_status(error: &ServiceError) -> bool {
    let ServiceError::TransportSend(sent) = error else { return false };
    let error = sent.error.downcast_ref::<StreamableHttpError<HttpError>>();
    matches!(error, Some(StreamableHttpError::HttpStatus(_)))
}
