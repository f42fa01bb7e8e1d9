//! By which names the service is reached over HTTP: the rule is that of the HTTP service.

use super::served_at;
use crate::support::{raw, status};
use picoflow::mcp::{McpError, McpService};
use std::net::SocketAddr;
use tokio_util::sync::CancellationToken;

async fn ask(address: SocketAddr, lines: &str) -> (u16, String) {
    let request =
        format!("POST /mcp HTTP/1.1\r\n{lines}connection: close\r\ncontent-length: 0\r\n\r\n");
    let heard = raw(address, request).await;
    (status(&heard), heard)
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_refused() {
    let (address, _stop) = served_at(McpService::new()).await;
    for (lines, code) in [
        ("host: evil.example\r\n", "HOST_REFUSED"),
        ("host: 10.1.2.3\r\n", "HOST_REFUSED"),
        ("host: localhost\r\norigin: http://evil.example\r\n", "ORIGIN_REFUSED"),
        ("host: localhost\r\norigin: null\r\n", "ORIGIN_REFUSED"),
    ] {
        let (status, heard) = ask(address, lines).await;
        assert_eq!(status, 403, "{lines}");
        assert!(heard.contains("application/problem+json") && heard.contains(code), "{heard}");
        assert!(heard.contains("cache-control: no-store"), "{heard}");
    }
    for lines in ["", "host: localhost\r\nhost: localhost\r\n"] {
        assert_eq!(ask(address, lines).await.0, 400, "{lines}");
    }
    for lines in ["host: LOCALHOST.:1\r\n", "host: [::1]\r\norigin: http://localhost:1\r\n"] {
        // The protocol says what is wrong with it.
        assert_eq!(ask(address, lines).await.0, 406, "{lines}");
    }
}

#[tokio::test]
async fn named_hosts_and_origins_are_served() {
    let service = McpService::new().host("mcp.example.com").origin("https://app.example.com:443");
    let (address, _stop) = served_at(service).await;
    for (lines, expected) in [
        ("host: mcp.example.com\r\norigin: https://mcp.example.com\r\n", 406),
        ("host: mcp.example.com\r\norigin: https://app.example.com\r\n", 406),
        ("host: mcp.example.com\r\norigin: http://app.example.com\r\n", 403),
        ("host: evil.example\r\n", 403),
    ] {
        assert_eq!(ask(address, lines).await.0, expected, "{lines}");
    }
}

#[test]
fn host_that_cannot_be_one_is_an_error() {
    for service in [McpService::new().host("http://x"), McpService::new().origin("x")] {
        let error = service.router(CancellationToken::new()).unwrap_err();
        assert!(matches!(error, McpError::Setting { .. }), "{error}");
    }
}
