//! Headers of requests and responses: the session's two names, and what no cache may keep.

use super::{Served, hear};
use reqwest::header::ACCEPT;

#[tokio::test]
async fn session_is_named_in_both_spellings() {
    let served = Served::open().await;
    let first = hear(served.run(None, "Hi")).await;
    let id = first.json()["session"].as_str().unwrap().to_owned();
    for name in ["chat-session-id", "chat_session_id"] {
        assert_eq!(first.header(name), Some(&*id));
        let next = hear(served.run(None, "again").header(name, &id)).await;
        assert_eq!(next.json()["session"], id);
    }
    let both = served.run(Some(&id), "both").header("Chat-Session-Id", &id);
    assert_eq!(hear(both).await.json()["session"], id);
    let empty = served.run(Some(""), "empty").header("Chat-Session-Id", &id);
    assert_eq!(hear(empty).await.json()["session"], id);
    assert_eq!(super::stored(&served.engine, &id).await.turns, 5);

    let stream = served.run(Some(&id), "Hi").header(ACCEPT, "text/event-stream");
    assert_eq!(hear(stream).await.header("chat-session-id"), Some(&*id));
    let end = hear(served.post("/ai/end").header("Chat-Session-Id", &id)).await;
    assert_eq!(end.json()["session"], id);
    assert!(served.engine.session(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn headers_that_differ_are_an_error() {
    let served = Served::open().await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    for name in ["Chat-Session-Id", "CHAT_SESSION_ID"] {
        let other = served.run(Some(&id), "Hi").header(name, "another");
        let problem = hear(other).await.check_problem(400, "REQUEST_INVALID");
        assert!(problem["detail"].as_str().unwrap().contains("`Chat-Session-Id`"), "{problem}");
    }
    let keys = served.run(Some(&id), "Hi").header("Idempotency-Key", "0123456789abcdef");
    let keys = keys.header("Idempotency-Key", "fedcba9876543210");
    hear(keys).await.check_problem(400, "REQUEST_INVALID");
    assert_eq!(super::stored(&served.engine, &id).await.turns, 1);
}

#[tokio::test]
async fn no_answer_with_a_conversation_is_cached() {
    let served = Served::new(|service| service.inside(true).page(true)).await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let session = format!("/ai/sessions/{id}");
    let forbidden = Served::open().await;
    for (request, expected) in [
        (served.run(None, "Hi"), 200),
        (served.run(None, "page"), 200),
        (served.run(None, "Hi").header(ACCEPT, "text/event-stream"), 200),
        (served.run(Some("nope"), "Hi"), 404),
        (served.run(None, "fail"), 502),
        (served.get(&session), 200),
        (served.get("/ai/sessions/nope"), 404),
        (served.get("/ai/flows/DeskFlow/graph"), 200),
        (served.get("/ai/sessions"), 403),
        (served.get("/nowhere"), 404),
        (served.get("/ai/run"), 405),
        (served.get("/ai/flows").header("host", "evil.example"), 403),
        (served.post("/ai/end").header("Chat-Session-Id", &id), 200),
        (forbidden.get(&session), 403),
    ] {
        let heard = hear(request).await;
        assert_eq!(heard.status, expected, "{}", heard.text);
        assert_eq!(heard.header("cache-control"), Some("no-store"), "{}", heard.text);
    }
    assert_eq!(hear(served.get("/page")).await.header("cache-control"), Some("no-cache"));
}
