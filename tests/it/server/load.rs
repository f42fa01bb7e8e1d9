//! Clients that ask for too much, or too slowly.

use super::{Served, hear};
use futures_util::future::join_all;
use picoflow::{prelude::*, session::SessionQuery};
use reqwest::header::ACCEPT;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{Instant, sleep, timeout},
};

/// What the service has to answer within, whatever others do.
const SOON: Duration = Duration::from_secs(5);

/// It still answers.
async fn check_answers(served: &Served) {
    let reply = timeout(SOON, served.say(None, "Hi")).await.expect("it answers in time");
    assert_eq!(reply["message"], "You said: Hi");
}

/// What comes back for these bytes, until the service closes.
async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The service may stop reading before all is sent.
    stream.write_all(bytes).await.ok();
    let mut heard = Vec::new();
    // A reset after the answer is not of interest.
    timeout(Duration::from_secs(10), stream.read_to_end(&mut heard)).await.unwrap().ok();
    String::from_utf8_lossy(&heard).into_owned()
}

#[tokio::test]
async fn more_turns_than_may_run_are_refused_until_there_is_room() {
    let served = Served::new(|service| service.turns(3)).await;
    let waiting = (0..3).map(|_| tokio::spawn(hear(served.run(None, "wait"))));
    let waiting: Vec<_> = waiting.collect();
    let refused = timeout(SOON, async {
        loop {
            let heard = hear(served.run(None, "Hi")).await;
            if heard.status != 200 {
                return heard;
            }
            sleep(Duration::from_millis(10)).await;
        }
    });
    let refused = refused.await.unwrap();
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
    let served = Served::new(|service| service.client_timeout(Duration::from_secs(1))).await;
    let head = "POST /ai/run HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    let mut slow = Vec::new();
    for i in 0..32 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        // Half of them stop in the head, half in the body.
        let part = if i % 2 == 0 { &head[..40] } else { head };
        stream.write_all(part.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let start = Instant::now();
    for _ in 0..20 {
        check_answers(&served).await;
        for stream in &mut slow {
            // A byte now and then; those that have been answered already may be gone.
            stream.write_all(b" ").await.ok();
        }
    }
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    // A body that does not arrive is told so.
    let mut late = slow.swap_remove(1);
    let mut heard = vec![0; 4096];
    let read = timeout(SOON, late.read(&mut heard)).await.unwrap().unwrap();
    let heard = String::from_utf8_lossy(&heard[..read]);
    assert!(heard.starts_with("HTTP/1.1 408 ") && heard.contains("BODY_LATE"), "{heard}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_idle_streams_keep_nobody_else_waiting() {
    const STREAMS: usize = 1000;
    let served = Served::open().await;
    let body = r#"{ "flowName": "DeskFlow", "message": "wait" }"#;
    let request = format!(
        "POST /ai/run HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    for stream in &mut streams {
        let (mut heard, mut part) = (String::new(), [0; 4096]);
        while !heard.contains("Wait") {
            let read = timeout(SOON, stream.read(&mut part)).await.unwrap().unwrap();
            assert_ne!(read, 0, "{heard}");
            heard += &String::from_utf8_lossy(&part[..read]);
        }
    }
    for _ in 0..20 {
        check_answers(&served).await;
    }
    served.model.open(STREAMS);
    for stream in &mut streams {
        let (mut heard, mut part) = (String::new(), [0; 4096]);
        while !heard.contains("event: replied") {
            let read = timeout(SOON, stream.read(&mut part)).await.unwrap().unwrap();
            assert_ne!(read, 0, "{heard}");
            heard += &String::from_utf8_lossy(&part[..read]);
        }
    }
    let all = SessionQuery { limit: 2 * STREAMS, ..SessionQuery::default() };
    let kept = served.engine.sessions(&all).await.unwrap();
    assert_eq!(kept.len(), STREAMS + 20);
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let served = Served::open().await;
    let many = "x-many: y\r\n".repeat(200);
    let long = format!("x-long: {}\r\n", "y".repeat(1 << 20));
    let address = format!("/{}", "a".repeat(1 << 20));
    for (what, head) in [
        ("many", format!("GET /health HTTP/1.1\r\nhost: x\r\n{many}\r\n")),
        ("long", format!("GET /health HTTP/1.1\r\nhost: x\r\n{long}\r\n")),
        ("address", format!("GET {address} HTTP/1.1\r\nhost: x\r\n\r\n")),
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
    timeout(SOON, endless).await.expect("a head without an end is not read for ever");
    check_answers(&served).await;
}

#[tokio::test]
async fn bodies_over_the_limit_are_refused_before_they_are_read() {
    let served = Served::new(|service| service.body_bytes(10_000)).await;
    let head = "POST /ai/run HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n";
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
    let served = Served::open().await;
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"POST /ai/run HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /ai/run HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /ai/run HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nzz",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut part = [0; 1024];
        // Some are answered, some closed, some waited for.
        if let Ok(Ok(read)) = timeout(Duration::from_millis(300), stream.read(&mut part)).await
            && read > 0
        {
            let heard = String::from_utf8_lossy(&part[..read]);
            assert!(heard.starts_with("HTTP/1.1 4") || heard.starts_with("HTTP/1.1 505"), "{heard}");
        }
        check_answers(&served).await;
    }
}

#[tokio::test]
async fn more_connections_than_there_may_be_wait_for_room() {
    let served = Served::new(|service| service.connections(2)).await;
    let held = [
        TcpStream::connect(served.address).await.unwrap(),
        TcpStream::connect(served.address).await.unwrap(),
    ];
    sleep(Duration::from_millis(100)).await;
    let waiting = tokio::spawn(hear(served.get("/health").header(ACCEPT, "*/*")));
    sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    drop(held);
    assert_eq!(timeout(SOON, waiting).await.unwrap().unwrap().status, 204);
}

#[tokio::test]
async fn a_client_that_stops_in_the_middle_is_cut_off() {
    let served = Served::new(|service| service.client_timeout(Duration::from_secs(1))).await;
    let idle = b"".as_slice();
    let head = b"GET /health HTTP/1.1\r\nhost: ";
    let kept_alive = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n";
    for bytes in [idle, head, kept_alive] {
        // Until the service closes.
        raw(served.address, bytes).await;
    }
    check_answers(&served).await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let served = Served::new(|service| service.client_timeout(Duration::from_secs(1))).await;
    // More than the buffers of both ends, of which ours is small: each word is an event.
    let body = json!({ "flowName": "DeskFlow", "message": "w ".repeat(200_000) }).to_string();
    let request = format!(
        "POST /ai/run HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut streams = Vec::new();
    for _ in 0..2 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut stream = socket.connect(served.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    sleep(Duration::from_secs(8)).await;
    for mut stream in streams {
        let mut heard = Vec::new();
        // What was sent before is read, or the connection was reset.
        timeout(SOON, stream.read_to_end(&mut heard)).await.unwrap().ok();
        let heard = String::from_utf8_lossy(&heard);
        assert!(!heard.contains("event: replied"), "it was read to its end");
    }
    check_answers(&served).await;
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_client_that_does_nothing() {
    let served = Served::new(|service| service.client_timeout(Duration::from_secs(1))).await;
    let mut idle = TcpStream::connect(served.address).await.unwrap();
    idle.write_all(b"GET /health HTTP/1.1\r\n").await.unwrap();
    check_answers(&served).await;
    timeout(SOON, served.stop()).await.expect("it stops");
}
