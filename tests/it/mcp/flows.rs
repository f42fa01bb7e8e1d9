//! A flow's turn as a tool of an MCP server.

use super::{Lines, call, connect, to};
use crate::support::TestFlow;
use picoflow::{
    BoxFuture,
    mcp::{McpError, McpService},
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use tokio_util::sync::CancellationToken;

struct Ask;

#[tools]
impl Step for Ask {
    /// Keep a color
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, color: String) -> ToolResponse {
        cx.save_state(json!({ "color": color }));
        go(Done::ID).saying("One moment.")
    }
}

struct Done;

#[tools]
impl Step for Done {
    /// End
    #[tool(define)]
    fn end(&self) -> ToolResponse {
        finish("Blue it is.")
    }
}

async fn engine() -> Engine {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Which color?")
        .on_call(Rule::new().latest("blue"), [("keep", json!({ "color": "blue" }))])
        .on_call(Rule::new().step("Done"), [("end", json!({}))]);
    let flow = TestFlow::new(Steps::new().add(Ask).add(Done));
    Engine::builder().flow(flow).model(model).build().await.unwrap()
}

#[tokio::test]
async fn a_conversation_is_a_call_for_each_turn() {
    let engine = engine().await;
    let mut lines = Lines::to(McpService::new().flow(&engine, "TestFlow")).await;
    let mut turn = async |arguments: Value| {
        lines.ask(1, "tools/call", json!({ "name": "TestFlow", "arguments": arguments })).await;
        lines.hear().await.unwrap()["result"].take()
    };
    let first = turn(json!({ "message": "Hi" })).await;
    assert_eq!(first["content"][0]["text"], "Which color?");
    let data = &first["structuredContent"];
    let session = data["session"].as_str().unwrap();
    assert_eq!(*data, json!({ "session": session, "text": "Which color?", "completed": false }));

    let last = turn(json!({ "message": "blue", "session": session })).await;
    assert_eq!(last["content"][0]["text"], "Blue it is.");
    assert_eq!(last["structuredContent"]["completed"], true);
    assert_eq!(last["structuredContent"]["session"], session);
    let stored = engine.session(session).await.unwrap().unwrap();
    assert_eq!(stored.state(Ask::ID).unwrap()["color"], "blue");

    let ended = turn(json!({ "message": "more", "session": session })).await;
    assert_eq!(ended["isError"], true);
    let text = ended["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("SESSION_ENDED: "), "{text}");
    assert!(ended.get("structuredContent").is_none());
}

#[tokio::test]
async fn what_a_caller_gets_wrong_is_told() {
    let (_client, tools) = connect(to(McpService::new().flow(&engine().await, "TestFlow"))).await;
    for (arguments, said) in [
        (json!({ "message": "Hi", "session": "none" }), "SESSION_UNKNOWN: "),
        (json!({ "message": " " }), "MESSAGE_EMPTY: "),
        (json!({}), "Invalid arguments: "),
        (json!({ "message": "Hi", "sesion": "x" }), "Invalid arguments: "),
    ] {
        let output = call(&tools, "TestFlow", arguments).await;
        assert!(output.is_error && output.text().starts_with(said), "{output:?}");
    }
}

struct Broken;

impl ChatModel for Broken {
    fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async { Err(ModelError::permanent("key s3cret is not valid")) })
    }
}

#[tokio::test]
async fn what_a_caller_can_do_nothing_about_is_a_code() {
    let flow = TestFlow::new(Steps::new().add(Ask).add(Done));
    let engine = Engine::builder().flow(flow).model(Broken).build().await.unwrap();
    let service = McpService::new().flow_as(&engine, "TestFlow", "talk", "Talk");
    let (_client, tools) = connect(to(service)).await;
    let output = call(&tools, "talk", json!({ "message": "Hi" })).await;
    assert!(output.is_error);
    assert_eq!(
        output.text(),
        "MODEL_FAILED: the model gave no answer, and nothing of the turn was kept: try it again"
    );
}

#[tokio::test]
async fn a_caller_who_asks_is_told_how_the_turn_goes() {
    let mut lines = Lines::to(McpService::new().flow(&engine().await, "TestFlow")).await;
    let call = json!({
        "name": "TestFlow",
        "arguments": { "message": "blue" },
        "_meta": { "progressToken": "t" },
    });
    lines.ask(1, "tools/call", call).await;
    let mut told = Vec::new();
    let answer = loop {
        let heard = lines.hear().await.unwrap();
        if heard.get("id").is_some() {
            break heard;
        }
        assert_eq!(heard["method"], "notifications/progress");
        assert_eq!(heard["params"]["progressToken"], "t");
        told.push(heard["params"]["message"].as_str().unwrap().to_owned());
        assert_eq!(
            heard["params"]["progress"].as_f64(),
            Some(f64::from(u8::try_from(told.len()).unwrap()))
        );
    };
    assert_eq!(told, ["runs `keep`", "One moment.", "goes on with `Done`", "runs `end`"]);
    assert_eq!(answer["result"]["content"][0]["text"], "Blue it is.");
}

#[tokio::test]
async fn a_flow_that_is_not_there_is_an_error_before_anything_is_served() {
    let service = McpService::new().flow(&engine().await, "OtherFlow");
    let error = service.router(CancellationToken::new()).unwrap_err();
    assert!(matches!(error, McpError::UnknownFlow { flow } if flow == "OtherFlow"));
}
