//! A server that echoes the token: it is in nothing that is told, stored, recorded or logged.

mod server;

use super::names;
use crate::{
    secrets::{Searched, is_in, logged, search, search_error, search_shown, token},
    support::{PATIENCE, TestFlow},
};
use picoflow::{
    SqliteStore, ToolContext,
    mcp::{McpServer, axum::response::Response},
    prelude::*,
    testing::{Recorder, Rule, ScriptedModel},
};
use rmcp::{
    ServiceExt,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use server::{error, message, said, start, welcome, with};
use std::{fmt::Write, fs, time::Duration};

/// Everything that a server can be asked.
const ALL: [&str; 7] = [
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
    "ping",
    "GET",
    "DELETE",
];

/// A server that answers.
fn at(url: &str) -> McpServer {
    within(url, PATIENCE)
}

/// A server that may never answer. What is told of it is of interest, whether it is an answer or not.
fn briefly_at(url: &str) -> McpServer {
    within(url, Duration::from_secs(2))
}

fn within(url: &str, limit: Duration) -> McpServer {
    McpServer::http(url).bearer(token()).timeout(limit).connect_timeout(limit)
}

/// All that is told of a server by whoever connects, lists its tools, calls them and leaves.
async fn told(server: McpServer) -> String {
    let mut told = format!("{server:?}");
    let client = match server.connect().await {
        Ok(client) => client,
        Err(error) => {
            search_error(&error);
            return format!("{told} {error}");
        }
    };
    match client.tools().await {
        Ok(tools) => {
            for tool in &tools {
                write!(told, " {:?}", tool.definition()).unwrap();
                let output = tool.execute(json!({}), &ToolContext::default()).await;
                search_shown("an output", &output);
                write!(told, " {}", output.text()).unwrap();
            }
        }
        Err(error) => {
            search_error(&error);
            write!(told, " {error}").unwrap();
        }
    }
    client.close().await;
    search("what is told", &told);
    told
}

#[tokio::test]
async fn a_token_in_a_refusal_is_neither_told_nor_logged() {
    for on in ALL {
        for status in [400, 401, 403, 404, 429, 500, 503] {
            let refusals: [fn(u16, &Value, &str) -> Response; 6] = [
                |status, _, token| said(status, "text/plain", format!("Wrong key: {token}.")),
                |status, _, token| {
                    let body = json!({ "error": format!("Wrong key: {token}.") });
                    said(status, "application/json", body.to_string())
                },
                |status, id, token| error(status, id, &format!("Wrong key: {token}.")),
                |status, _, token| {
                    let challenge = format!("Bearer error=\"{token}\", scope=\"{token}\"");
                    with(said(status, "text/plain", ""), "www-authenticate", &challenge)
                },
                |status, _, token| with(said(status, token, ""), "retry-after", token),
                // What is kept of a body ends within the token.
                |status, _, token| {
                    let body = format!("{}{token}", "-".repeat(64 * 1024 - 30));
                    said(status, "text/plain", body)
                },
            ];
            for refusal in refusals {
                let url = start(on, move |id, token| refusal(status, id, token)).await;
                told(briefly_at(&url)).await;
            }
        }
    }
    let refusal = |_: &Value, token: &str| said(401, "text/plain", format!("Wrong key: {token}."));
    let told = told(at(&start("initialize", refusal).await).name("echo")).await;
    assert!(told.contains("the MCP server `echo` cannot be reached"), "{told}");
    assert!(told.contains("401 Unauthorized: Wrong key: …."), "{told}");
}

#[tokio::test]
async fn a_token_in_an_error_of_the_protocol_is_neither_told_nor_logged() {
    for on in ALL {
        let url = start(on, |id, token| error(200, id, &format!("Wrong key: {token}."))).await;
        let is_of_call = on == "tools/call";
        let told = told(if is_of_call { at(&url) } else { briefly_at(&url) }).await;
        if is_of_call {
            assert!(told.ends_with("Wrong key: …. (code -32602)"), "{told}");
        }
    }
}

/// Answers to every request that quote the token in each of their texts.
fn quotes(on: &str, text: &str) -> Value {
    match on {
        "initialize" => {
            let mut welcome = welcome(&json!("2025-06-18"));
            welcome["instructions"] = text.into();
            welcome["serverInfo"]["title"] = text.into();
            welcome
        }
        "tools/list" => json!({ "tools": [{
            "name": "tool",
            "title": text,
            "description": text,
            "inputSchema": { "type": "object", "properties": { text: { "type": "string", "description": text } } },
        }] }),
        _ => json!({
            "content": [
                { "type": "text", "text": text },
                { "type": "resource_link", "uri": format!("file:///{text}"), "name": text },
                { "type": "resource", "resource": { "uri": "file:///b", "text": text } },
            ],
            "structuredContent": { text: [text] },
        }),
    }
}

#[tokio::test]
async fn a_token_in_a_result_is_neither_told_nor_logged() {
    for on in ["initialize", "tools/list", "tools/call"] {
        let url = start(on, move |id, token| message(id, &quotes(on, token))).await;
        let told = told(at(&url)).await;
        assert_eq!(told.contains('…'), on != "initialize", "{told}");
        assert!(told.contains("done") || told.contains(r#"{"…":["…"]}"#), "{told}");
    }
    // A tool whose name holds it has another name.
    let url = start("tools/list", |id, token| {
        message(id, &json!({ "tools": [{ "name": token, "inputSchema": { "type": "object" } }] }))
    });
    let client = at(&url.await).rename("…", "renamed").connect().await.unwrap();
    assert_eq!(names(&client.tools().await.unwrap()), ["renamed"]);
}

/// A stream of events, before each of which the token is quoted by what is no message.
fn events(id: &Value, token: &str, result: &Value) -> String {
    let log = json!({ "level": "info", "data": format!("Key: {token}") });
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": log });
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    // The same characters, in another way.
    let message = message.to_string().replace("sk-proj", "\\u0073k\\u002dproj");
    format!(": {token}\n\nevent: {token}\nid: {token}\ndata: {told}\n\ndata: {message}\n\n")
}

#[tokio::test]
async fn a_token_in_an_event_is_neither_told_nor_logged() {
    for on in ["initialize", "tools/list", "tools/call"] {
        let url = start(on, move |id, token| {
            said(200, "text/event-stream", events(id, token, &quotes(on, token)))
        });
        let told = told(at(&url.await)).await;
        assert_eq!(told.contains('…'), on != "initialize", "{told}");
        assert!(told.contains("done") || told.contains(r#"{"…":["…"]}"#), "{told}");
    }
    let unasked = start("GET", |_, token| {
        said(200, "text/event-stream", events(&json!(99), token, &json!({ token: token })))
    });
    assert!(told(at(&unasked.await)).await.ends_with("done"));
}

#[tokio::test]
async fn a_token_in_what_cannot_be_read_is_neither_told_nor_logged() {
    for on in ALL {
        let answers: [fn(&Value, &str) -> Response; 9] = [
            |_, token| {
                let body = format!("{{\"jsonrpc\": \"{token}\", {token}");
                said(200, "application/json", body)
            },
            |_, token| said(200, "application/json", json!({ token: [token] }).to_string()),
            |_, token| said(200, token, "text"),
            |_, token| {
                said(200, "text/event-stream", format!("id: {token}\ndata: {{\"{token}\n\n"))
            },
            |_, token| said(200, "text/event-stream", format!("{token}\n\n")),
            |_, token| said(200, "text/event-stream", format!("{token}: {token}\n\n")),
            |_, token| said(200, "text/event-stream", format!("retry: {token}\n\n")),
            // What is shown of a body ends within the token.
            |_, token| said(200, "application/json", format!("{}{token}", "-".repeat(256 - 30))),
            |id, token| {
                let welcome = message(id, &welcome(&json!("2025-06-18")));
                with(welcome, "mcp-session-id", token)
            },
        ];
        for answer in answers {
            told(briefly_at(&start(on, answer).await)).await;
        }
    }
}

#[tokio::test]
async fn a_key_in_the_address_is_neither_told_nor_logged() {
    let refused = |_: &Value, token: &str| said(401, "text/plain", format!("Wrong key: {token}."));
    let url = start("initialize", refused).await;
    let told_there = told(at(&format!("{url}?key={}", token()))).await;
    assert!(told_there.contains("Wrong key: …."), "{told_there}");
    // Where nobody listens.
    let nowhere = McpServer::http(format!("http://me:{0}@127.0.0.1:1/mcp?key={0}", token()));
    let told = told(nowhere).await;
    assert!(told.contains("`http://127.0.0.1:1/mcp` cannot be reached"), "{told}");
}

#[tokio::test]
async fn a_token_that_a_tool_quotes_is_neither_stored_nor_recorded() {
    struct Ask(Vec<NativeTool>);

    impl Step for Ask {
        const ID: StepId = StepId::new("Ask");

        fn native_tools(&self) -> Vec<NativeTool> {
            self.0.clone()
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let url = start("tools/call", |id, token| message(id, &quotes("tools/call", token))).await;
    let client = at(&url).connect().await.unwrap();
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi").times(1), [("tool", json!({}))])
        .on(Rule::new(), "Done.");
    let model = Recorder::create(folder.path().join("recording.jsonl"), Searched(model)).unwrap();
    let store = SqliteStore::open(folder.path().join("sessions.db")).await.unwrap();
    let flow = TestFlow::new(Steps::new().add(Ask(client.tools().await.unwrap())));
    let engine = Engine::builder().flow(flow).model(model).store(Searched(store));
    let ran = engine.build().await.unwrap().run(Turn::new("TestFlow").message("Hi")).await;
    search_shown("a turn", &ran);
    assert_eq!(ran.unwrap().text, "Done.");
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = fs::read(file.unwrap().path()).unwrap();
        search("a file", &String::from_utf8_lossy(&file));
    }
    let recorded = fs::read_to_string(folder.path().join("recording.jsonl")).unwrap();
    assert!(recorded.contains("file:///…"), "{recorded}");
}

#[tokio::test]
async fn what_rmcp_logs_and_tells_of_a_body_holds_no_token() {
    let refusal = |_: &Value, token: &str| said(401, "text/plain", format!("Wrong key: {token}."));
    let url = start("initialize", refusal).await;

    // By itself it logs the body, and tells it, which is found.
    // For the client, which has no TLS of its own. An error says that there is one already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let config = StreamableHttpClientTransportConfig::with_uri(url.clone()).auth_header(token());
    let transport = StreamableHttpClientTransport::with_client(reqwest::Client::new(), config);
    let records = logged(async {
        let error = ().serve(transport).await.unwrap_err();
        assert!(is_in(&error.to_string()), "{error}");
    });
    let fatal = |record: &&String| {
        record.starts_with("rmcp::") && record.contains("worker quit with fatal")
    };
    let records = records.await;
    assert!(is_in(records.iter().find(fatal).unwrap()), "{records:?}");

    let records = logged(async { drop(told(at(&url)).await) }).await;
    assert!(!records.iter().any(|record| is_in(record)), "{records:?}");
    let record = records.iter().find(fatal).unwrap();
    assert!(record.contains("Wrong key: …."), "{record}");
}
