//! A server at an address that quotes the token it was sent, in its answer to one of the things it is asked.

use picoflow::mcp::axum::{
    self, Router,
    body::{Body, to_bytes},
    extract::Request,
    http::StatusCode,
    response::Response,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpListener;

/// Begins to listen, and says where. What is asked by `on`, a method of the protocol or of HTTP, is answered by `answer`, which gets
/// the request's id and the token; all else as it should be.
pub(super) async fn start(
    on: &'static str,
    answer: impl Fn(&Value, &str) -> Response + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    let app = Router::new().fallback(move |request: Request| {
        let answer = Arc::clone(&answer);
        async move {
            let header = request.headers()["authorization"].to_str().unwrap().to_owned();
            let token = header.strip_prefix("Bearer ").unwrap();
            let by = request.method().to_string();
            let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
            let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
            if [by.as_str(), asked["method"].as_str().unwrap_or_default()].contains(&on) {
                return answer(&asked["id"], token);
            }
            properly(&by, &asked)
        }
    });
    tokio::spawn(async { axum::serve(listener, app).await });
    format!("http://{address}/mcp")
}

fn properly(by: &str, asked: &Value) -> Response {
    let result = match (by, asked["method"].as_str()) {
        ("GET", _) => return said(405, "text/plain", ""),
        ("DELETE", _) => return said(200, "text/plain", ""),
        (_, Some("initialize")) => welcome(&asked["params"]["protocolVersion"]),
        (_, Some("tools/list")) => {
            let schema = json!({ "type": "object" });
            json!({ "tools": [{ "name": "tool", "description": "A tool", "inputSchema": schema }] })
        }
        (_, Some("tools/call")) => json!({ "content": [{ "type": "text", "text": "done" }] }),
        (_, Some("ping")) => json!({}),
        _ => return said(202, "text/plain", ""),
    };
    with(message(&asked["id"], &result), "mcp-session-id", "of-this-test")
}

/// The result of `initialize`.
pub(super) fn welcome(version: &Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "echo", "version": "1" },
    })
}

/// An answer of any kind.
pub(super) fn said(status: u16, kind: &str, body: impl Into<Body>) -> Response {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = StatusCode::from_u16(status).unwrap();
    with(answer, "content-type", kind)
}

pub(super) fn with(mut answer: Response, name: &'static str, value: &str) -> Response {
    answer.headers_mut().insert(name, value.parse().unwrap());
    answer
}

/// A result.
pub(super) fn message(id: &Value, result: &Value) -> Response {
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    said(200, "application/json", message.to_string())
}

/// An error of the protocol.
pub(super) fn error(status: u16, id: &Value, text: &str) -> Response {
    let error = json!({ "code": -32602, "message": text, "data": { text: [text] } });
    let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    said(status, "application/json", message.to_string())
}
