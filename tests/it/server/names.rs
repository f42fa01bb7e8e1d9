//! By which names the service is reached, and from which pages.

use super::Served;
use crate::support::{LONG, raw, status};
use picoflow::{
    server::{HttpService, axum},
    session::SessionQuery,
};
use std::{io, net::SocketAddr};
use tokio::{net::TcpListener, time::timeout};
use tokio_util::sync::CancellationToken;

const TURN: &str = r#"{ "flowName": "DeskFlow", "message": "Hi" }"#;

/// A request for `path`, or a turn, with these lines in its head.
fn request(path: &str, lines: &str) -> String {
    let (method, body) = if path.ends_with("/ai/run") { ("POST", TURN) } else { ("GET", "") };
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\n{lines}connection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Asks for the flows with these lines in the head.
async fn ask(address: SocketAddr, lines: &str) -> u16 {
    status(&raw(address, request("/ai/flows", lines)).await)
}

#[tokio::test]
async fn foreign_host_reaches_nothing() {
    let served = Served::new(|service| service.inside(true).page(true)).await;
    for path in [
        "/ai/run",
        "/ai/flows",
        "/ai/flows/DeskFlow/graph",
        "/ai/sessions",
        "/ai/sessions/s-1",
        "/health",
        "/ready",
        "/openapi.json",
        "/page",
        "/",
        "/page/page.js",
        "/nowhere",
    ] {
        let heard = raw(served.address, request(path, "host: evil.example:8080\r\n")).await;
        assert_eq!(status(&heard), 403, "{path}: {heard}");
        let head = heard.to_ascii_lowercase();
        assert!(head.contains("content-type: application/problem+json"), "{heard}");
        assert!(heard.contains(r#""code":"HOST_REFUSED""#), "{heard}");
        assert!(heard.contains("evil.example:8080") && heard.contains("localhost"), "{heard}");
    }
    assert!(served.engine.sessions(&SessionQuery::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn own_names_are_served_with_any_port() {
    let served = Served::open().await;
    for host in ["localhost", "LOCALHOST:80", "localhost.", "127.0.0.1", "[::1]:8080"] {
        assert_eq!(ask(served.address, &format!("host: {host}\r\n")).await, 200, "{host}");
    }
}

#[tokio::test]
async fn pages_from_elsewhere_are_refused() {
    let served = Served::open().await;
    let port = served.address.port();
    for (origin, expected) in [
        (format!("http://127.0.0.1:{port}"), 200),
        ("http://localhost:5173".to_owned(), 200),
        ("https://evil.example".to_owned(), 403),
        ("null".to_owned(), 403),
    ] {
        let lines = format!("host: 127.0.0.1:{port}\r\norigin: {origin}\r\n");
        let heard = raw(served.address, request("/ai/run", &lines)).await;
        assert_eq!(status(&heard), expected, "{origin}: {heard}");
        assert_eq!(heard.contains("ORIGIN_REFUSED"), expected == 403, "{heard}");
    }
}

#[tokio::test]
async fn every_place_that_names_a_host_counts() {
    let served = Served::open().await;
    let at = served.address;
    assert_eq!(ask(at, "host: localhost\r\nhost: evil.example\r\n").await, 400);
    assert_eq!(ask(at, "").await, 400);
    assert_eq!(ask(at, "host: \r\n").await, 400);
    for (target, host, expected) in [
        ("http://localhost/ai/flows", "localhost", 200),
        ("http://evil.example/ai/flows", "localhost", 403),
        ("http://localhost/ai/flows", "evil.example", 403),
    ] {
        let heard = raw(at, request(target, &format!("host: {host}\r\n"))).await;
        assert_eq!(status(&heard), expected, "{target} {host}");
    }
    let old = raw(at, "GET /ai/flows HTTP/1.0\r\n\r\n").await;
    assert_eq!(status(&old), 400, "{old}");
    let old = raw(at, "GET /ai/flows HTTP/1.0\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(status(&old), 200, "{old}");
}

#[tokio::test]
async fn named_hosts_and_origins_are_served() {
    let served = Served::new(|service| {
        service.hosts(["bot.example.com", "b.example:81"]).origins(["https://app.example.com"])
    })
    .await;
    for (lines, expected) in [
        ("host: bot.example.com\r\n", 200),
        ("host: b.example:81\r\n", 200),
        ("host: b.example:82\r\n", 403),
        ("host: localhost\r\n", 200),
        ("host: bot.example.com\r\norigin: https://bot.example.com\r\n", 200),
        ("host: localhost\r\norigin: https://app.example.com\r\n", 200),
        ("host: localhost\r\norigin: https://other.example.com\r\n", 403),
    ] {
        assert_eq!(ask(served.address, lines).await, expected, "{lines}");
    }
    let any = Served::new(|service| service.hosts(["*"])).await;
    assert_eq!(ask(any.address, "host: evil.example\r\norigin: null\r\n").await, 200);
}

#[tokio::test]
async fn router_is_reached_by_other_names_once_they_are_said() {
    let engine = Served::open().await.engine.clone();
    let service = || HttpService::new(&engine).bearer("secret");
    let app = axum::Router::new()
        .route("/shop", axum::routing::get(async || "our shop"))
        .nest("/local", service().router())
        .nest("/bot", service().hosts(["shop.example.com"]).router());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async { axum::serve(listener, app).await });
    let host = "host: shop.example.com\r\nauthorization: Bearer secret\r\n";
    let asked = async |path: &str, lines: &str| status(&raw(address, request(path, lines)).await);
    assert_eq!(asked("/local/ai/run", host).await, 403);
    assert_eq!(asked("/bot/ai/run", host).await, 200);
    assert_eq!(asked("/local/ai/run", &host.replace("shop.example.com", "localhost")).await, 200);
    // What is not ours is the app's own.
    assert_eq!(asked("/shop", "host: evil.example\r\n").await, 200);
    serving.abort();
}

#[tokio::test]
async fn network_service_is_reached_by_addresses_and_by_known_callers() {
    for (has_secret, expected) in [(false, 403), (true, 200)] {
        let engine = Served::open().await.engine.clone();
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let service = HttpService::new(&engine);
        let service = if has_secret { service.bearer("secret") } else { service };
        let serving = tokio::spawn(service.serve(listener, CancellationToken::new()));
        let key = "authorization: Bearer secret\r\n";
        for host in ["10.1.2.3:80", "[fe80::1]", "localhost"] {
            assert_eq!(ask(address, &format!("host: {host}\r\n{key}")).await, 200, "{host}");
        }
        assert_eq!(ask(address, &format!("host: evil.example\r\n{key}")).await, expected);
        serving.abort();
    }
}

#[tokio::test]
async fn host_that_cannot_be_one_is_an_error() {
    let engine = Served::open().await.engine.clone();
    for (hosts, origins) in
        [(&["https://bot.example.com"][..], &[][..]), (&[], &["app.example.com"])]
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service =
            HttpService::new(&engine).hosts(hosts.iter().copied()).origins(origins.iter().copied());
        let serving = service.serve(listener, CancellationToken::new());
        let error = timeout(LONG, serving).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("example.com` is not"), "{error}");
    }
}
