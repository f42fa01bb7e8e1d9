//! The reference implementations, which `scripts/mcp` installs: their server under our client, their inspector and their
//! conformance suite on our server.

use super::{call, connect, names};
use crate::support::{PATIENCE, found, lasting_port, prepared};
use picoflow::{
    ToolError,
    mcp::{McpServer, McpService},
    no_arguments,
    prelude::*,
};
use std::{
    net::Ipv4Addr,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What `scripts/mcp` prepared.
struct Prepared {
    url: String,
    node: PathBuf,
    modules: PathBuf,
}

impl Prepared {
    fn new() -> Self {
        let told = |variable| prepared(variable, "scripts/mcp");
        Self {
            url: told("PICOFLOW_TEST_MCP_URL"),
            node: told("PICOFLOW_TEST_MCP_NODE").into(),
            modules: told("PICOFLOW_TEST_MCP_MODULES").into(),
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.modules.join(".bin").join(program));
        command
    }

    async fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(program);
        command.args(arguments);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }
}

/// All that the reference server has for a model.
async fn everything(server: McpServer) {
    let (client, tools) = connect(server.timeout(PATIENCE)).await;
    assert!(tools.len() >= 13, "{:?}", names(&tools));
    assert_eq!(call(&tools, "echo", json!({ "message": "hi" })).await.text(), "Echo: hi");
    let sum = call(&tools, "get-sum", json!({ "a": 19, "b": 23 })).await;
    assert_eq!(sum.text(), "The sum of 19 and 23 is 42.");
    let weather = call(&tools, "get-structured-content", json!({ "location": "Chicago" })).await;
    assert!(weather.output["temperature"].is_number(), "{weather:?}");
    let image = call(&tools, "get-tiny-image", json!({})).await.text();
    assert!(image.contains("[image, image/png: not shown]"), "{image}");
    let links = call(&tools, "get-resource-links", json!({ "count": 2 })).await.text();
    assert_eq!(links.matches("[resource `").count(), 2, "{links}");
    let resource = call(&tools, "get-resource-reference", json!({ "resourceType": "Text" })).await;
    assert!(resource.text().contains("[resource demo://resource/"), "{resource:?}");
    let noted = call(&tools, "get-annotated-message", json!({ "messageType": "error" })).await;
    assert!(!noted.is_error && noted.text().contains("Error"), "{noted:?}");
    let long = json!({ "duration": 1, "steps": 4 });
    let long = call(&tools, "trigger-long-running-operation", long).await;
    assert!(!long.is_error && long.text().contains("completed"), "{long:?}");
    #[cfg(feature = "validate")]
    assert!(call(&tools, "get-sum", json!({ "a": "x" })).await.is_error);
    client.close().await;
    // And again, over a new connection.
    assert_eq!(call(&tools, "echo", json!({ "message": "hi" })).await.text(), "Echo: hi");
}

#[tokio::test]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn our_client_uses_the_reference_server_over_standard_input_and_output() {
    let prepared = Prepared::new();
    everything(McpServer::stdio(move || {
        let mut command = prepared.command("mcp-server-everything");
        command.arg("stdio");
        command
    }))
    .await;
}

#[tokio::test]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn our_client_uses_the_reference_server_over_http() {
    let prepared = Prepared::new();
    everything(McpServer::http(prepared.url).bearer(crate::secrets::token())).await;
}

/// The reference server at an address of its own, so that it can be killed.
async fn started(prepared: &Prepared, port: u16) -> Child {
    let mut command = prepared.command("mcp-server-everything");
    command.arg("streamableHttp").env("PORT", port.to_string());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    found("the server listens", async || {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended");
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()
    })
    .await;
    child
}

#[tokio::test]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn a_reference_server_that_is_killed_and_started_anew_is_found_again() {
    let prepared = Prepared::new();
    let port = lasting_port();
    let mut server = started(&prepared, port).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    // The one answer that never comes is waited for so long.
    let limit = Duration::from_secs(10);
    let (_client, tools) = connect(McpServer::http(url).timeout(limit)).await;
    let echo = async || call(&tools, "echo", json!({ "message": "hi" })).await;
    assert_eq!(echo().await.text(), "Echo: hi");

    server.kill().unwrap();
    server.wait().unwrap();
    let output = echo().await;
    // Which of the two it is depends on how far the call got.
    let told = ["The tool did not run.", "It is not known whether the tool ran."];
    assert!(output.is_error && told.iter().any(|end| output.text().ends_with(end)), "{output:?}");

    // The new server does not know the old one's session.
    let mut server = started(&prepared, port).await;
    assert_eq!(echo().await.text(), "Echo: hi");
    // Nor does one that was started while nobody called.
    server.kill().unwrap();
    server.wait().unwrap();
    let mut server = started(&prepared, port).await;
    // It says so with an error that belongs to no call.
    let output = echo().await;
    assert!(output.is_error && output.text().ends_with(told[1]), "{output:?}");
    assert_eq!(echo().await.text(), "Echo: hi");
    server.kill().unwrap();
    server.wait().unwrap();
}

fn text(name: &'static str, answer: &'static str) -> NativeTool {
    let definition = ToolDefinition::new(name, "A tool of the conformance suite", no_arguments());
    NativeTool::new(definition, move |_, _| async move { answer })
}

/// Our server, with the tools that the conformance suite asks for, as far as a native tool can be one.
async fn ours() -> (String, DropGuard) {
    let error = ToolDefinition::new("test_error_handling", "Fail", no_arguments());
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
        "additionalProperties": false,
    });
    let schema = ToolDefinition::new("json_schema_2020_12_tool", "Take an address", schema);
    let echo = json!({ "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] });
    let echo = ToolDefinition::new("echo", "Say it again", echo);
    let tools = [
        text("test_simple_text", "This is a simple text response for testing."),
        NativeTool::new(error, |_, _| async {
            Err::<String, _>(ToolError::feedback(
                "This tool intentionally returns an error for testing",
            ))
        }),
        NativeTool::new(schema, |args: Value, _| async move { Json(args) }),
        NativeTool::new(echo, |args: Value, _| async move {
            args["message"].as_str().unwrap_or_default().to_owned()
        }),
    ];
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let stop = CancellationToken::new();
    tokio::spawn(McpService::new().tools(tools).serve_http(listener, stop.clone()));
    (url, stop.drop_guard())
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn the_conformance_suite_passes_but_for_what_is_named() {
    let prepared = Prepared::new();
    let (url, _stop) = ours().await;
    let known = concat!(env!("CARGO_MANIFEST_DIR"), "/it/mcp/expected_failures.yml");
    let results = tempfile::tempdir().unwrap();
    let results = results.path().to_str().unwrap();
    let arguments = [
        "server",
        "--url",
        &url,
        "--suite",
        "all",
        "--expected-failures",
        known,
        "--output-dir",
        results,
    ];
    let done = prepared.run("conformance", &arguments).await;
    let shown = String::from_utf8_lossy(&done.stdout);
    println!("{shown}");
    assert!(done.status.success(), "{shown}\n{}", String::from_utf8_lossy(&done.stderr));
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn the_inspector_lists_and_calls_our_tools() {
    let prepared = Prepared::new();
    let (url, _stop) = ours().await;
    let ask = async |arguments: &[&str]| -> Value {
        let all = [&["--cli", &*url, "--transport", "http", "--method"], arguments].concat();
        let done = prepared.run("mcp-inspector", &all).await;
        let shown = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{shown}");
        serde_json::from_slice(&done.stdout).unwrap()
    };
    let list = ask(&["tools/list"]).await;
    let listed: Vec<_> =
        list["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        listed,
        ["test_simple_text", "test_error_handling", "json_schema_2020_12_tool", "echo"]
    );
    let echo = ["tools/call", "--tool-name", "echo", "--tool-arg", "message=hi"];
    assert_eq!(ask(&echo).await["content"][0]["text"], "hi");
}
