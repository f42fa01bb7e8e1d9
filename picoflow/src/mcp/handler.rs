//! What a client's requests are answered with.

use super::{McpError, talk::Talk};
use crate::{
    NativeTool, ToolContext,
    web::{Line, Seen},
};
use axum::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use std::sync::Arc;

/// A tool as clients see it, and what runs when they call it.
pub(super) struct Served {
    shown: Tool,
    runs: Runs,
}

enum Runs {
    Tool(NativeTool),
    Talk(Talk),
}

impl Served {
    pub(super) fn tool(tool: NativeTool) -> Result<Self, McpError> {
        let shown = shown(tool.name(), tool.description(), tool.input_schema())?;
        Ok(Self { shown, runs: Runs::Tool(tool) })
    }

    pub(super) fn talk(talk: Talk) -> Result<Self, McpError> {
        let shown = shown(&talk.name, &talk.description, &Talk::takes())?;
        let Value::Object(gives) = Talk::gives() else {
            return Err(McpError::Schema { tool: talk.name });
        };
        Ok(Self { shown: shown.with_raw_output_schema(Arc::new(gives)), runs: Runs::Talk(talk) })
    }
}

fn shown(name: &str, description: &str, schema: &Value) -> Result<Tool, McpError> {
    let Value::Object(schema) = schema else {
        return Err(McpError::Schema { tool: name.to_owned() });
    };
    Ok(Tool::new(name.to_owned(), description.to_owned(), Arc::new(schema.clone())))
}

/// Answers clients.
#[derive(Clone)]
pub(super) struct Handler {
    config: ServerConfig,
    served: Arc<[Served]>,
}

impl Handler {
    pub(super) fn new(name: String, instructions: Option<String>, served: Vec<Served>) -> Self {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")));
        config.instructions = instructions;
        Self { config, served: served.into() }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.served.iter().map(|served| served.shown.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(served) = self.served.iter().find(|served| served.shown.name == call.name) else {
            let text = format!("Unknown tool: {}", call.name);
            return Err(ErrorData::invalid_params(text, None));
        };
        let arguments = Value::Object(call.arguments.unwrap_or_default());
        let line = line(&context);
        line.tool(&served.shown.name);
        let result = match &served.runs {
            Runs::Tool(tool) => run(tool, arguments, &context).await,
            Runs::Talk(talk) => talk.turn(arguments, &context, line.clone()).await,
        };
        line.tool_ended(result.is_error == Some(true));
        Ok(result.into())
    }
}

/// The line of the request that the call came in, or one of its own where there are no requests, as over standard input.
fn line(context: &RequestContext<RoleServer>) -> Line {
    let parts = context.extensions.get::<Parts>();
    let seen = parts.and_then(|parts| parts.extensions.get::<Seen>());
    seen.and_then(Seen::line).unwrap_or_else(Line::of_call)
}

async fn run(
    tool: &NativeTool,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let cx = ToolContext::default()
        .with_cancellation(context.ct.clone())
        .with_call_id(context.id.to_string());
    let output = tool.execute(arguments, &cx).await;
    let content = vec![ContentBlock::text(output.text())];
    if output.is_error {
        if let Some(error) = output.error() {
            tracing::debug!(tool = tool.name(), %error, "the tool failed");
        }
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    // Clients of older versions take nothing but an object.
    result.structured_content = Some(output.output).filter(Value::is_object);
    result
}
