//! One line in the log for each request.

use super::{Served, hear};
use crate::support::{LONG, Log, raw};
use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError, Usage},
    prelude::*,
    server::HttpService,
};
use picoflow_tests::desk::{DeskFlow, SECRET};
use reqwest::header::ACCEPT;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn turn_is_one_line() {
    let log = Log::new();
    let served = Served::open().await;
    let reply = served.say(None, "keep s3cret-note").await;
    let lines = log.wait(1).await;
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    for (field, expected) in [
        ("level", json!("INFO")),
        ("method", json!("POST")),
        ("route", json!("/ai/run")),
        ("status", json!(200)),
        ("flow", json!("DeskFlow")),
        ("session", reply["session"].clone()),
        ("tokens", json!(0)),
        ("model_calls", json!(2)),
        ("outcome", json!("replied")),
    ] {
        assert_eq!(line[field], expected, "{field}: {line}");
    }
    assert!(line["ms"].is_u64() && line.get("code").is_none(), "{line}");
    assert!(!log.text().contains("s3cret-note"), "{}", log.text());
}

#[tokio::test]
async fn refused_requests_are_warnings_without_keys_and_ids() {
    let log = Log::new();
    let served = Served::new(|service| service.bearer("s3cret")).await;
    let wrong = || served.get("/ai/sessions/s-4711").bearer_auth("wr0ng");
    for (request, route, status, code) in [
        (wrong(), json!("/ai/sessions/{session}"), 401, "UNAUTHORIZED"),
        (
            wrong().header("host", "evil.example"),
            json!("/ai/sessions/{session}"),
            403,
            "HOST_REFUSED",
        ),
    ] {
        let before = log.requests().len();
        assert_eq!(hear(request).await.status, status);
        let line = log.wait(before + 1).await.pop().unwrap();
        assert_eq!((&line["route"], &line["status"]), (&route, &json!(status)), "{line}");
        assert_eq!((&line["code"], &line["level"]), (&json!(code), &json!("WARN")), "{line}");
    }
    hear(served.get("/nowhere/4711").bearer_auth("s3cret")).await;
    let line = log.wait(3).await.pop().unwrap();
    assert_eq!((&line["status"], line.get("route")), (&json!(404), None), "{line}");
    for hidden in ["s3cret", "wr0ng", "4711"] {
        assert!(!log.text().contains(hidden), "{}", log.text());
    }
}

#[tokio::test]
async fn failed_turn_is_an_error_with_its_cause() {
    let log = Log::new();
    let served = Served::open().await;
    hear(served.run(None, "fail")).await.check_problem(502, "MODEL_FAILED");
    let stream = served.run(None, "fail").header(ACCEPT, "text/event-stream");
    assert!(hear(stream).await.text.contains("event: error"));
    let lines = log.wait(2).await;
    for (line, status) in lines.iter().zip([502, 200]) {
        assert_eq!((&line["level"], &line["status"]), (&json!("ERROR"), &json!(status)), "{line}");
        assert_eq!((&line["code"], &line["outcome"]), (&json!("MODEL_FAILED"), &json!("failed")));
        assert!(line["error"].as_str().unwrap().contains(SECRET), "{line}");
        assert_eq!(line["model_calls"], 1);
    }
}

/// Calls a tool for 15 tokens, and then does not answer.
struct Costly(CancellationToken);

impl ChatModel for Costly {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            if request.latest().is_some_and(|latest| latest.content == "kept") {
                self.0.cancel();
                std::future::pending::<()>().await;
            }
            let call = ToolCall::new("1", "keep", &json!({ "note": "it" }));
            Ok(ModelReply::calls([call]).with_usage(Usage::new(12, 3)))
        })
    }
}

#[tokio::test]
async fn cancelled_turn_is_a_line_with_what_it_cost() {
    for (accept, status) in [("*/*", 499), ("text/event-stream", 200)] {
        let log = Log::new();
        let asked = CancellationToken::new();
        let builder = Engine::builder().flow(DeskFlow).model(Costly(asked.clone()));
        let engine = builder.build().await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = HttpService::new(&engine);
        let serving = tokio::spawn(service.serve(listener, CancellationToken::new()));
        let mut client = TcpStream::connect(address).await.unwrap();
        let body = r#"{ "flowName": "DeskFlow", "message": "Hi" }"#;
        let head = format!(
            "POST /ai/run HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\ncontent-type: application/json"
        );
        let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        client.write_all(request.as_bytes()).await.unwrap();
        timeout(LONG, asked.cancelled()).await.unwrap();
        assert!(log.requests().is_empty(), "the turn has not ended");
        drop(client);
        let line = log.wait(1).await.pop().unwrap();
        assert_eq!((&line["outcome"], &line["flow"]), (&json!("cancelled"), &json!("DeskFlow")));
        assert_eq!((&line["tokens"], &line["model_calls"]), (&json!(15), &json!(2)), "{line}");
        assert_eq!((&line["status"], &line["level"]), (&json!(status), &json!("INFO")), "{line}");
        serving.abort();
    }
}

#[tokio::test]
async fn replayed_and_completed_turns_say_so() {
    let log = Log::new();
    let served = Served::open().await;
    for _ in 0..2 {
        hear(served.run(None, "end").header("Idempotency-Key", "0123456789abcdef")).await;
    }
    let stream = served.run(None, "Hi").header(ACCEPT, "text/event-stream");
    hear(stream).await;
    let lines = log.wait(3).await;
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["completed", "replayed", "replied"]);
    assert_eq!(lines[1]["model_calls"], 0);
}

#[tokio::test]
async fn body_that_is_no_request_is_a_line_too() {
    let log = Log::new();
    let served = Served::open().await;
    hear(served.post("/ai/run").body("s3cret")).await.check_problem(415, "BODY_NOT_JSON");
    let declared = "POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10000000000\r\n\r\n{";
    raw(served.address, declared).await;
    let codes: Vec<_> = log.wait(2).await.iter().map(|line| line["code"].clone()).collect();
    assert_eq!(codes, ["BODY_NOT_JSON", "BODY_TOO_LARGE"]);
    assert!(!log.text().contains("s3cret"));
}
