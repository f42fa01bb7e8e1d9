//! Which tools of a server there are, and what they are called.

use super::{Does, Fake, call, connect, names, to};
use crate::support::TestFlow;
use picoflow::{
    mcp::{McpError, McpServer, McpService},
    no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{borrow::Cow, time::Duration};

fn fake(names: &'static [&'static str]) -> McpServer {
    Fake::new(move |_, method, params| match method {
        "tools/list" => Does::list(names),
        _ => Does::text(params["name"].as_str().unwrap()),
    })
    .server
}

#[tokio::test]
async fn a_servers_names_are_mapped_and_its_own_are_called() {
    let server = fake(&["files.read", "search", "Übung"]);
    let (_client, tools) = connect(server.prefix("x_").rename("search", "find")).await;
    assert_eq!(names(&tools), ["x_files_read", "find", "x__bung"]);
    assert_eq!(call(&tools, "x_files_read", json!({})).await.text(), "files.read");
    assert_eq!(call(&tools, "find", json!({})).await.text(), "search");
}

#[tokio::test]
async fn names_that_no_model_could_use_are_refused_with_the_way_out() {
    let refused =
        async |server: McpServer| server.connect().await.unwrap().tools().await.unwrap_err();
    let error = refused(fake(&["a.b", "a_b"])).await;
    assert!(
        matches!(&error, McpError::DuplicateName { name, first, second } if (&**name, &**first, &**second) == ("a_b", "a.b", "a_b"))
    );
    let error = refused(fake(&["a"]).prefix("x".repeat(64))).await;
    assert!(error.to_string().contains("take a shorter prefix"), "{error}");
    assert!(matches!(refused(fake(&[""])).await, McpError::Name { .. }));

    // The way out.
    let (_client, tools) = connect(fake(&["a.b", "a_b"]).rename("a.b", "other")).await;
    assert_eq!(names(&tools), ["other", "a_b"]);
    let (_client, tools) = connect(fake(&["a.b", "a_b"]).allow(["a_b"])).await;
    assert_eq!(names(&tools), ["a_b"]);
}

#[tokio::test]
async fn a_setting_that_names_no_tool_is_an_error() {
    let client = fake(&["read", "write"]).allow(["read", "raed"]).connect().await.unwrap();
    assert_eq!(
        client.tools().await.unwrap_err().to_string(),
        "the MCP server `fake` has no tool `raed`, which `allow` names; it has read, write"
    );
    let client = fake(&["read"]).rename("write", "put").connect().await.unwrap();
    let error = client.tools().await.unwrap_err();
    assert!(matches!(error, McpError::UnknownTool { setting: "rename", .. }));
}

#[tokio::test]
async fn all_pages_of_a_list_are_read() {
    let server = Fake::new(|_, _, params| match params["cursor"].as_str() {
        None => Does::Answer(json!({
            "tools": [{ "name": "one", "inputSchema": { "type": "object" } }],
            "nextCursor": "2",
        })),
        Some(_) => Does::list(&["two"]),
    });
    assert_eq!(names(&connect(server.server).await.1), ["one", "two"]);
}

#[tokio::test]
async fn what_a_server_says_of_a_tool_reaches_the_model() {
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"],
    });
    let definition = ToolDefinition::new("weather", "The weather of a city", schema.clone());
    let weather = NativeTool::new(definition, |args: Value, _cx| async move {
        Json(json!({ "city": args["city"], "degrees": 21 }))
    });
    let (_client, tools) = connect(to(McpService::new().tools([weather]))).await;
    assert_eq!(tools[0].description(), "The weather of a city");
    assert_eq!(tools[0].input_schema(), &schema);
    let output = call(&tools, "weather", json!({ "city": "Rome" })).await;
    assert_eq!(output.output, json!({ "city": "Rome", "degrees": 21 }));
}

struct Ask(Vec<NativeTool>);

impl Step for Ask {
    const ID: StepId = StepId::new("Ask");

    fn native_tools(&self) -> Vec<NativeTool> {
        self.0.clone()
    }

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        self.0.iter().map(|tool| tool.name().to_owned().into()).collect()
    }
}

#[tokio::test]
async fn a_flow_uses_them_as_its_own() {
    let double = ToolDefinition::new("double", "Twice a number", no_arguments());
    let double = NativeTool::new(double, |_args, _cx| async { "42" });
    let (_client, tools) = connect(to(McpService::new().tools([double])).prefix("math_")).await;
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("double it"), [("math_double", json!({}))])
        .on(Rule::new().latest("42"), "It is 42.");
    let flow = TestFlow::new(Steps::new().add(Ask(tools)));
    let engine = Engine::builder().flow(flow).model(model).build().await.unwrap();
    let reply = engine.run(Turn::new("TestFlow").message("double it")).await.unwrap();
    assert_eq!(reply.text, "It is 42.");
}

#[tokio::test]
async fn a_server_that_does_not_begin_is_an_error_that_names_it() {
    let gone = McpServer::stdio(|| std::process::Command::new("/no/such/program"));
    let error = gone.connect().await.unwrap_err().to_string();
    assert!(error.starts_with("the MCP server `/no/such/program` cannot be reached: "), "{error}");

    let silent = McpServer::stdio(|| {
        let mut command = std::process::Command::new("sleep");
        command.arg("60");
        command
    });
    let error = silent.connect_timeout(Duration::from_millis(100)).connect().await.unwrap_err();
    assert!(matches!(error, McpError::ConnectTimeout { .. }), "{error}");

    let ended = McpServer::stdio(|| std::process::Command::new("true"));
    assert!(matches!(ended.connect().await, Err(McpError::Connect { .. })));

    let nobody = McpServer::http("http://127.0.0.1:9/mcp?key=s3cret");
    let error = nobody.connect().await.unwrap_err().to_string();
    assert!(
        error.contains("127.0.0.1:9/mcp`") && !error.contains("`http://127.0.0.1:9/mcp?"),
        "{error}"
    );

    let wrong = McpServer::http("http://127.0.0.1:9/mcp").bearer("two\nlines");
    let error = wrong.connect().await.unwrap_err().to_string();
    assert!(error.contains("authorization") && !error.contains("lines"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_list_its_tools_is_an_error() {
    let mute =
        Fake::new(|_, _, _| Does::Nothing).server.connect_timeout(Duration::from_millis(100));
    let error = mute.connect().await.unwrap().tools().await.unwrap_err();
    assert!(matches!(error, McpError::List { .. }), "{error}");
}

#[tokio::test]
async fn two_servers_with_one_name_are_a_duplicate() {
    let service = || {
        let ping = ToolDefinition::new("ping", "Answer", no_arguments());
        McpService::new().tools([NativeTool::new(ping, |_args, _cx| async { "pong" })])
    };
    let (_left, left) = connect(to(service()).name("left")).await;
    let (_right, right) = connect(to(service()).name("right")).await;
    let flow = TestFlow::new(Steps::new().add(Ask([left, right].concat())));
    let error = Engine::builder().flow(flow).model(ScriptedModel::new()).build().await;
    let text = error.unwrap_err().to_string();
    for part in ["'ping'", "MCP server `left`", "MCP server `right`", "prefix"] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let (_left, left) = connect(to(service()).prefix("left_")).await;
    let (_right, right) = connect(to(service()).prefix("right_")).await;
    let flow = TestFlow::new(Steps::new().add(Ask([left, right].concat())));
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new()).strict();
    assert!(engine.build().await.is_ok());
}
