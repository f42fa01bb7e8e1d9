//! Clients that ask for too much, or too slowly.

use super::{Served, hear};
use crate::support::{found, within};
use futures_util::future::join_all;
use picoflow::{prelude::*, session::SessionQuery};
use reqwest::header::ACCEPT;
use std::{io::Write, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A service that cuts nobody off while a test runs.
async fn patient() -> Served {
    Served::new(|service| service.client_timeout(Duration::from_hours(1))).await
}

/// A service that cuts off soon who neither sends nor reads.
async fn impatient() -> Served {
    Served::new(|service| service.client_timeout(Duration::from_secs(1))).await
}

/// It still answers, whatever others do.
async fn check_answers(served: &Served) {
    let reply = within("it answers", served.say(None, "Hi")).await;
    assert_eq!(reply["message"], "You said: Hi");
}

/// As [`check_answers`], where the service may take its own client for a slow one.
async fn check_answers_in_the_end(served: &Served) {
    let heard = found("it answers", async || served.run(None, "Hi").send().await.ok()).await;
    assert_eq!(heard.status(), 200);
}

/// A connection on which these few bytes were sent, before a service on the same thread had a chance to wait for them.
fn sent(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    stream.set_nonblocking(true).unwrap();
    TcpStream::from_std(stream).unwrap()
}

/// What comes until the service closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut heard = Vec::new();
    // A reset after the answer is not of interest.
    within("the service closes", stream.read_to_end(&mut heard)).await.ok();
    String::from_utf8_lossy(&heard).into_owned()
}

/// Reads until this has come.
async fn hear_until(stream: &mut TcpStream, what: &str) -> String {
    let (mut heard, mut part) = (String::new(), [0; 4096]);
    while !heard.contains(what) {
        let read = within("more is said", stream.read(&mut part)).await.unwrap();
        assert_ne!(read, 0, "{heard}");
        heard += &String::from_utf8_lossy(&part[..read]);
    }
    heard
}

/// The bytes of a request for a turn as a stream.
fn streamed(message: &str) -> String {
    let body = json!({ "flowName": "DeskFlow", "message": message }).to_string();
    format!(
        "POST /ai/run HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// What comes back for these bytes, until the service closes.
async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The service may stop reading before all is sent.
    stream.write_all(bytes).await.ok();
    rest(stream).await
}

#[tokio::test]
async fn more_turns_than_may_run_are_refused_until_there_is_room() {
    let served = Served::new(|service| service.turns(3)).await;
    let waiting = (0..3).map(|_| tokio::spawn(hear(served.run(None, "wait"))));
    let waiting: Vec<_> = waiting.collect();
    served.waits(3).await;
    let refused = hear(served.run(None, "Hi")).await;
    refused.check_problem(503, "UNAVAILABLE");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(hear(served.get("/ready")).await.status, 204, "other routes answer");
    served.model.open(3);
    for heard in join_all(waiting).await {
        assert_eq!(heard.unwrap().status, 200);
    }
    check_answers(&served).await;
}

#[tokio::test]
async fn slow_clients_keep_nobody_else_waiting() {
    let served = patient().await;
    let head = "POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    let mut slow = Vec::new();
    for i in 0..32 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        // Half of them stop in the head, half in the body.
        let part = if i % 2 == 0 { &head[..30] } else { head };
        stream.write_all(part.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    for _ in 0..20 {
        check_answers(&served).await;
        for stream in &mut slow {
            // A byte now and then.
            stream.write_all(b" ").await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_told_so() {
    let served = impatient().await;
    let head = "POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    let mut late = sent(served.address, head.as_bytes());
    let heard = hear_until(&mut late, "BODY_LATE").await;
    assert!(heard.starts_with("HTTP/1.1 408 "), "{heard}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_idle_streams_keep_nobody_else_waiting() {
    const STREAMS: usize = 1000;
    let served = patient().await;
    let request = streamed("wait");
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    for stream in &mut streams {
        hear_until(stream, "Wait").await;
    }
    for _ in 0..20 {
        check_answers(&served).await;
    }
    served.model.open(STREAMS);
    for stream in &mut streams {
        hear_until(stream, "event: replied").await;
    }
    let all = SessionQuery { limit: 2 * STREAMS, ..SessionQuery::default() };
    let kept = served.engine.sessions(&all).await.unwrap();
    assert_eq!(kept.len(), STREAMS + 20);
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let served = patient().await;
    let many = "x-many: y\r\n".repeat(200);
    let long = format!("x-long: {}\r\n", "y".repeat(1 << 20));
    let address = format!("/{}", "a".repeat(1 << 20));
    for (what, head) in [
        ("many", format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{many}\r\n")),
        ("long", format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{long}\r\n")),
        ("address", format!("GET {address} HTTP/1.1\r\nhost: localhost\r\n\r\n")),
    ] {
        let heard = raw(served.address, head.as_bytes()).await;
        let status: &str = heard.get(9..12).unwrap_or_default();
        assert!(["431", "414", "400", ""].contains(&status), "{what}: {heard}");
        check_answers(&served).await;
    }
    let endless = async {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(b"GET /health HTTP/1.1\r\n").await.unwrap();
        while stream.write_all(b"x-y: zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\r\n").await.is_ok() {}
    };
    within("a head without an end is refused", endless).await;
    check_answers(&served).await;
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_before_they_are_read() {
    let served = Served::new(|service| service.body_bytes(10_000)).await;
    let head = "POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let declared = format!("{head}content-length: 10000000000\r\n\r\n{{");
    let heard = raw(served.address, declared.as_bytes()).await;
    assert!(heard.starts_with("HTTP/1.1 413 ") && heard.contains("BODY_TOO_LARGE"), "{heard}");
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{}", chunk.repeat(50));
    let heard = raw(served.address, chunked.as_bytes()).await;
    assert!(heard.starts_with("HTTP/1.1 413 "), "{heard}");
    check_answers(&served).await;
}

#[tokio::test]
async fn what_is_no_http_breaks_nothing() {
    let served = impatient().await;
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nzz",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        // Some are answered, some closed, some waited for until it is enough.
        let heard = rest(sent(served.address, bytes)).await;
        let is_refused = heard.starts_with("HTTP/1.1 4") || heard.starts_with("HTTP/1.1 505");
        assert!(heard.is_empty() || is_refused, "{heard}");
        check_answers_in_the_end(&served).await;
    }
}

/// A request and its answer on a connection that stays open.
async fn ask_on(stream: &mut TcpStream) {
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let heard = hear_until(stream, "\r\n\r\n").await;
    assert!(heard.starts_with("HTTP/1.1 204 "), "{heard}");
}

#[tokio::test]
async fn more_connections_than_there_may_be_wait_for_room() {
    let patience = Duration::from_hours(1);
    let served = Served::new(|service| service.client_timeout(patience).connections(2)).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        ask_on(&mut stream).await;
        held.push(stream);
    }
    let waiting = tokio::spawn(hear(served.get("/health").header(ACCEPT, "*/*")));
    // Those that it has are served again and again, and the one behind them is not.
    for i in 0..100 {
        ask_on(&mut held[i % 2]).await;
    }
    assert!(!waiting.is_finished());
    drop(held);
    assert_eq!(within("there is room", waiting).await.unwrap().status, 204);
}

#[tokio::test]
async fn a_client_that_stops_in_the_middle_is_cut_off() {
    let served = impatient().await;
    let idle = "";
    let head = "GET /health HTTP/1.1\r\nhost: ";
    let kept_alive = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for (bytes, answer) in [(idle, ""), (head, ""), (kept_alive, "HTTP/1.1 204 ")] {
        // Until the service closes.
        let heard = rest(sent(served.address, bytes.as_bytes())).await;
        assert_eq!(heard.get(..13).unwrap_or_default(), answer, "{heard}");
    }
    check_answers_in_the_end(&served).await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let patience = Duration::from_secs(1);
    let served = Served::new(|service| service.client_timeout(patience).connections(1)).await;
    // More than the buffers of both ends: each word is an event.
    let unread = sent(served.address, streamed("words 200000").as_bytes());
    // There is room for another one as soon as it is cut off.
    check_answers_in_the_end(&served).await;
    // What was sent before can be read.
    let heard = rest(unread).await;
    assert!(heard.contains("event: text"), "{}", heard.get(..500).unwrap_or(&heard));
    assert!(!heard.contains("event: replied"), "it was read to its end");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_client_that_does_nothing() {
    let served = impatient().await;
    let _idle = sent(served.address, b"GET /health HTTP/1.1\r\n");
    check_answers_in_the_end(&served).await;
    served.stop().await;
}
