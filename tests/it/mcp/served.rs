//! Native tools as an MCP server.

use super::{Lines, call, connect, to};
use picoflow::{
    ToolError,
    mcp::{McpError, McpService},
    no_arguments,
    prelude::*,
};
use tokio_util::sync::CancellationToken;

fn tool(name: &str) -> NativeTool {
    let definition = ToolDefinition::new(name, "A tool", no_arguments());
    NativeTool::new(definition, |_, _| async { "done" })
}

#[tokio::test]
async fn a_tools_errors_are_errors_that_keep_internals_to_themselves() {
    let fails = |name: &str, error: fn() -> ToolError| {
        let definition = ToolDefinition::new(name, "Fail", no_arguments());
        NativeTool::new(definition, move |_, _| async move { Err::<String, _>(error()) })
    };
    let number = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let number = ToolDefinition::new("number", "Take a number", number);
    let tools = [
        fails("feedback", || ToolError::feedback("no such order")),
        fails("internal", || ToolError::internal("password=s3cret")),
        NativeTool::new(number, |_, _| async { "taken" }),
    ];
    let mut lines = Lines::to(McpService::new().tools(tools)).await;
    let mut call = async |name: &str, arguments: Value| {
        lines.ask(1, "tools/call", json!({ "name": name, "arguments": arguments })).await;
        lines.hear().await.unwrap()
    };
    let answer = call("feedback", json!({})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["content"][0]["text"], "no such order");
    let answer = call("internal", json!({})).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(!answer.to_string().contains("s3cret"), "{answer}");
    #[cfg(feature = "validate")]
    {
        let answer = call("number", json!({ "n": "many" })).await;
        assert_eq!(answer["result"]["isError"], true);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Invalid arguments"), "{text}");
    }
    let answer = call("nothing", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Unknown tool: nothing");
}

#[tokio::test]
async fn what_cannot_be_served_is_an_error_before_anything_is() {
    let refused = |service: McpService| service.router(CancellationToken::new()).unwrap_err();
    let error = refused(McpService::new().tools([tool("a"), tool("a")]));
    assert!(matches!(error, McpError::DuplicateName { .. }));
    assert!(matches!(refused(McpService::new().tools([tool("a b")])), McpError::Name { .. }));
    let definition = ToolDefinition::new("list", "A list", json!([]));
    let list = NativeTool::new(definition, |_, _| async { "" });
    assert!(matches!(refused(McpService::new().tools([list])), McpError::Schema { .. }));
}

#[tokio::test]
async fn a_client_that_gives_up_stops_the_tool() {
    let (started, stopped) = (CancellationToken::new(), CancellationToken::new());
    let (starts, stops) = (started.clone(), stopped.clone());
    let definition = ToolDefinition::new("wait", "Wait", no_arguments());
    let wait = NativeTool::new(definition, move |_, _| {
        let (starts, stops) = (starts.clone(), stops.clone().drop_guard());
        async move {
            starts.cancel();
            let _stops = stops;
            std::future::pending::<&str>().await
        }
    });
    let mut lines = Lines::to(McpService::new().tools([wait])).await;
    lines.ask(7, "tools/call", json!({ "name": "wait" })).await;
    started.cancelled().await;
    let params = json!({ "requestId": 7 });
    lines
        .say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    stopped.cancelled().await;
}

#[tokio::test]
async fn tools_pass_through_a_server_and_back_unchanged() {
    let (_client, tools) = connect(to(McpService::new().tools([tool("a")]))).await;
    let (_again, tools) = connect(to(McpService::new().tools(tools))).await;
    assert_eq!(call(&tools, "a", json!({})).await.text(), "done");
}
