//! One line in the log for each request, and for each call that comes without one.

use super::{Lines, connect, served_at};
use crate::support::{Log, TestFlow, raw};
use picoflow::{
    mcp::{McpServer, McpService},
    model::Usage,
    no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct Ask;

#[tools]
impl Step for Ask {}

async fn service() -> McpService {
    let model = ScriptedModel::new().answer(Rule::new().latest("Hi"), |_| {
        Ok(ModelReply::text("s3cret-text").with_usage(Usage::new(12, 3)))
    });
    let flow = TestFlow::new(Steps::new().add(Ask));
    let engine = Engine::builder().flow(flow).model(model).build().await.unwrap();
    let fail = ToolDefinition::new("fail", "Fail", no_arguments());
    let fail = NativeTool::new(fail, |_, _| async { Err::<String, _>(ToolError::feedback("no")) });
    McpService::new().tools([fail]).flow(&engine, "TestFlow")
}

fn check_turn(line: &Value) {
    for (field, expected) in [
        ("level", json!("INFO")),
        ("tool", json!("TestFlow")),
        ("flow", json!("TestFlow")),
        ("tokens", json!(15)),
        ("model_calls", json!(1)),
        ("outcome", json!("replied")),
    ] {
        assert_eq!(line[field], expected, "{field}: {line}");
    }
    assert!(line["session"].is_string() && line["ms"].is_u64(), "{line}");
}

#[tokio::test]
async fn calls_over_http_are_lines_of_their_requests() {
    let log = Log::new();
    let (address, _stop) = served_at(service().await).await;
    raw(address, "GET /mcp HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n").await;
    let line = log.wait(1).await.pop().unwrap();
    assert_eq!((&line["code"], &line["level"]), (&json!("HOST_REFUSED"), &json!("WARN")), "{line}");

    let (client, tools) = connect(McpServer::http(format!("http://{address}/mcp"))).await;
    super::call(&tools, "TestFlow", json!({ "message": "Hi" })).await;
    let calls = async |count: usize| loop {
        let lines = log.requests();
        let calls: Vec<_> = lines.into_iter().filter(|line| line.get("tool").is_some()).collect();
        if calls.len() >= count {
            return calls;
        }
        let written = log.requests().len();
        log.wait(written + 1).await;
    };
    let line = calls(1).await.pop().unwrap();
    check_turn(&line);
    let at = (&line["method"], &line["route"], &line["status"]);
    assert_eq!(at, (&json!("POST"), &json!("/mcp"), &json!(200)), "{line}");
    super::call(&tools, "fail", json!({})).await;
    let line = calls(2).await.pop().unwrap();
    assert_eq!((&line["tool"], &line["outcome"]), (&json!("fail"), &json!("failed")), "{line}");
    assert!(!log.text().contains("s3cret-text"), "{}", log.text());
    client.close().await;
}

#[tokio::test]
async fn calls_over_streams_are_lines_of_their_own() {
    let log = Log::new();
    let mut lines = Lines::to(service().await).await;
    let turn = json!({ "name": "TestFlow", "arguments": { "message": "Hi" } });
    lines.ask(1, "tools/call", turn).await;
    lines.hear().await.unwrap();
    let line = log.wait(1).await.pop().unwrap();
    check_turn(&line);
    assert_eq!((&line["method"], line.get("status")), (&json!("tools/call"), None), "{line}");

    let wrong = json!({ "name": "TestFlow", "arguments": { "message": "Hi", "session": "nope" } });
    lines.ask(2, "tools/call", wrong).await;
    lines.hear().await.unwrap();
    let line = log.wait(2).await.pop().unwrap();
    assert_eq!((&line["code"], &line["outcome"]), (&json!("SESSION_UNKNOWN"), &json!("failed")));
    assert_eq!((&line["session"], &line["model_calls"]), (&json!("nope"), &json!(0)), "{line}");
}
