//! Clients of the HTTP transport that send half a request, too much, or read nothing.

use super::served_at;
use crate::support::{LONG, raw, status};
use picoflow::{NativeTool, ToolDefinition, mcp::McpService, no_arguments};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{Instant, timeout},
};

/// Longer than the limits that the tests set, shorter than the defaults.
const SHORT: Duration = Duration::from_millis(300);

/// One that answers with this many bytes.
fn service(bytes: usize) -> McpService {
    let text = ToolDefinition::new("text", "A text", no_arguments());
    let text = NativeTool::new(text, move |_, _| async move { "x".repeat(bytes) });
    McpService::new().tools([text])
}

/// The head of a message of this length.
fn head(length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n"
    )
}

fn hello() -> String {
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "raw", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let body = body.to_string();
    format!("{}connection: close\r\n\r\n{body}", head(body.len()))
}

async fn check_answers(address: SocketAddr) {
    let heard = raw(address, hello()).await;
    assert!(heard.starts_with("HTTP/1.1 200 ") && heard.contains("serverInfo"), "{heard}");
}

#[tokio::test]
async fn half_a_head_is_cut_off() {
    let (address, _stop) = served_at(service(1).client_timeout(SHORT)).await;
    for part in ["", "POST /mcp HTTP/1.1\r\nhost: loc", &head(10)] {
        let start = Instant::now();
        raw(address, part).await;
        assert!(start.elapsed() >= SHORT, "{part}");
    }
    check_answers(address).await;
}

#[tokio::test]
async fn half_a_body_is_told_to_be_late() {
    let (address, _stop) = served_at(service(1).client_timeout(SHORT)).await;
    let heard = raw(address, head(100) + "\r\n{\"jsonrpc\"").await;
    assert_eq!(status(&heard), 408, "{heard}");
    assert!(heard.contains("BODY_LATE"), "{heard}");
    check_answers(address).await;
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused() {
    let (address, _stop) = served_at(service(1).body_bytes(1000)).await;
    let declared = head(1_000_000_000) + "\r\n{";
    let chunk = format!("400\r\n{}\r\n", " ".repeat(0x400));
    let chunked = head(0).replace("content-length: 0", "transfer-encoding: chunked");
    let chunked = format!("{chunked}\r\n{}", chunk.repeat(10));
    for request in [declared, chunked] {
        let heard = raw(address, request).await;
        assert_eq!(status(&heard), 413, "{heard}");
        assert!(heard.contains("BODY_TOO_LARGE"), "{heard}");
    }
    check_answers(address).await;
}

#[tokio::test]
async fn head_without_an_end_is_refused() {
    let (address, _stop) = served_at(service(1)).await;
    let long =
        format!("GET /mcp HTTP/1.1\r\nhost: localhost\r\nx-long: {}\r\n", "y".repeat(1 << 20));
    let heard = raw(address, long).await;
    assert!(heard.is_empty() || status(&heard) == 431, "{heard}");
    check_answers(address).await;
}

#[tokio::test]
async fn client_that_reads_nothing_is_cut_off() {
    // More than the buffers of both ends.
    let (address, _stop) = served_at(service(32 << 20).client_timeout(SHORT)).await;
    let first = raw(address, hello()).await.to_ascii_lowercase();
    let session = first.split("mcp-session-id: ").nth(1).and_then(|rest| rest.lines().next());
    let session = session.unwrap_or_else(|| panic!("{first}"));
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "text" } });
    let call = call.to_string();
    let request = format!("{}mcp-session-id: {session}\r\n\r\n{call}", head(call.len()));
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    // The connection has an end though nothing is read: then a write fails.
    let cut_off = timeout(LONG, async {
        while stream.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    cut_off.await.expect("the service closes the connection");
    check_answers(address).await;
}

#[tokio::test]
async fn more_connections_than_there_may_be_wait() {
    let (address, _stop) = served_at(service(1).connections(1)).await;
    let mut held = TcpStream::connect(address).await.unwrap();
    // It has been accepted once it is answered.
    held.write_all(b"GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut part = [0; 1024];
    assert_ne!(timeout(LONG, held.read(&mut part)).await.unwrap().unwrap(), 0);
    let mut waiting = tokio::spawn(check_answers(address));
    assert!(timeout(Duration::from_millis(200), &mut waiting).await.is_err(), "there is no room");
    drop(held);
    timeout(LONG, waiting).await.unwrap().unwrap();
}
