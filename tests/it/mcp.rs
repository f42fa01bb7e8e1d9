//! The Model Context Protocol, both ways: our client and our server against each other, against peers that misbehave, and
//! against the reference implementations.

mod echoes;
mod flows;
mod limits;
mod lines;
mod log;
mod lost;
mod names;
mod reference;
mod results;
mod served;
mod tau2;
mod tools;

use lines::{Does, Fake, Lines};
use picoflow::{
    NativeTool, ToolContext, ToolOutput,
    mcp::{McpClient, McpServer, McpService},
};
use serde_json::Value;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Our client of our service, without a network between.
fn to(service: McpService) -> McpServer {
    McpServer::streams(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(service.clone().serve(reader, writer));
        async { Ok(tokio::io::split(ours)) }
    })
    .name("service")
}

fn names(tools: &[NativeTool]) -> Vec<&str> {
    tools.iter().map(NativeTool::name).collect()
}

/// Calls a tool of the list.
async fn call(tools: &[NativeTool], name: &str, arguments: Value) -> ToolOutput {
    let tool = tools.iter().find(|tool| tool.name() == name);
    let tool = tool.unwrap_or_else(|| panic!("no {name} in {:?}", names(tools)));
    tool.execute(arguments, &ToolContext::default()).await
}

async fn connect(server: McpServer) -> (McpClient, Vec<NativeTool>) {
    let client = server.connect().await.unwrap();
    let tools = client.tools().await.unwrap();
    (client, tools)
}

/// The service over HTTP, until the guard is dropped.
async fn served_at(service: McpService) -> (SocketAddr, DropGuard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = service.serve_http(listener, stop.clone());
    drop(tokio::spawn(async { serving.await.unwrap() }));
    (address, stop.drop_guard())
}
