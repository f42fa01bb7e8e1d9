//! Turns over HTTP.

use super::{Heard, Served, hear};
use picoflow::{SqliteStore, prelude::*};
use picoflow_tests::desk::SECRET;
use reqwest::{
    RequestBuilder,
    header::{CONTENT_TYPE, HeaderValue},
};
use std::time::Duration;

#[tokio::test]
async fn a_conversation_goes_on_by_the_header_of_its_session() {
    let served = Served::open().await;
    let first = hear(served.run(None, "Hi")).await;
    let envelope = first.json();
    let id = envelope["session"].as_str().unwrap();
    assert_eq!(first.header("chat_session_id"), Some(id));
    assert_eq!(envelope["message"], "You said: Hi");
    assert_eq!(envelope["contentType"], "text/plain");
    assert_eq!((&envelope["success"], &envelope["completed"]), (&json!(true), &json!(false)));

    let second = served.say(Some(id), "keep it").await;
    assert_eq!(second["session"], id);
    let last = served.say(Some(id), "end").await;
    assert_eq!((&last["message"], &last["completed"]), (&json!("Good bye."), &json!(true)));
    let stored = super::stored(&served.engine, id).await;
    assert_eq!((stored.turns, stored.is_completed()), (3, true));
    assert_eq!(stored.state("Desk").unwrap()["note"], "it");

    let after = hear(served.run(Some(id), "more")).await;
    let problem = after.check_problem(410, "SESSION_ENDED");
    assert_eq!(problem["session"], id);
    assert_eq!(after.header("chat_session_id"), Some(id));
}

#[tokio::test]
async fn a_session_may_begin_without_a_message_and_with_a_config() {
    let served = Served::open().await;
    let request = json!({ "flowName": "DeskFlow", "config": { "vip": true }, "message": "config" });
    let reply = hear(served.post("/ai/run").json(&request)).await.json();
    assert_eq!(reply["message"], r#"Config: {"vip":true}"#);
    let again = hear(served.run(reply["session"].as_str(), "Hi")).await;
    assert_eq!(again.status, 200);
    let other = json!({ "flowName": "DeskFlow", "config": { "vip": false }, "message": "Hi" });
    let other = served.post("/ai/run").json(&other);
    let other = hear(other.header("CHAT_SESSION_ID", reply["session"].as_str().unwrap())).await;
    other.check_problem(409, "SESSION_CONFIG_MISMATCH");
}

#[tokio::test]
async fn images_reach_the_model() {
    let served = Served::open().await;
    let request = json!({
        "flowName": "DeskFlow",
        "message": "images",
        "images": [
            { "mediaType": "image/png", "url": "https://example.com/cat.png" },
            { "mediaType": "image/gif", "data": "R0lGODlhAQABAAAAACw=" },
        ],
    });
    let reply = hear(served.post("/ai/run").json(&request)).await.json();
    assert_eq!(reply["message"], "2 images");
}

#[tokio::test]
async fn what_is_not_plain_text_comes_as_it_is() {
    let served = Served::open().await;
    let page = hear(served.run(None, "page")).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html"));
    assert_eq!(page.text, "<h1>Hi</h1>");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("content-security-policy"), Some("sandbox"));
    let id = page.header("chat_session_id").unwrap();
    assert_eq!(super::stored(&served.engine, id).await.turns, 1);
}

#[tokio::test]
async fn what_is_no_media_type_comes_in_an_envelope() {
    let served = Served::open().await;
    let odd = hear(served.run(None, "odd")).await;
    assert_eq!(odd.header("content-type"), Some("application/json"));
    assert_eq!(odd.json()["contentType"], "a\nb");
}

#[tokio::test]
async fn a_turn_that_is_sent_again_with_its_key_is_not_run_again() {
    let served = Served::open().await;
    let key = "0123456789abcdef";
    let first =
        async || hear(served.run(None, "keep a").header("Idempotency-Key", key)).await.json();
    let (one, two) = (first().await, first().await);
    assert_eq!((&one["replayed"], &two["replayed"]), (&json!(false), &json!(true)));
    assert_eq!((&one["message"], &one["session"]), (&two["message"], &two["session"]));
    let id = one["session"].as_str().unwrap();

    let key = "fedcba9876543210";
    let later = async || hear(served.run(Some(id), "keep b").header("Idempotency-Key", key)).await;
    assert_eq!(later().await.json()["replayed"], false);
    assert_eq!(later().await.json()["replayed"], true);
    assert_eq!(super::stored(&served.engine, id).await.turns, 2);
    // The first turn is not the newest any more.
    hear(served.run(None, "keep a").header("Idempotency-Key", "0123456789abcdef"))
        .await
        .check_problem(409, "TURN_TOKEN_USED");
}

#[tokio::test]
async fn each_failure_has_its_status_and_code() {
    let served = Served::new(|service| service.body_bytes(700_000)).await;
    let id = served.say(None, "Hi").await;
    let id = id["session"].as_str().unwrap();
    // More levels than JSON is read to.
    let deep = &format!("{{ \"flowName\": \"DeskFlow\", \"config\": {}", "[".repeat(200));
    let body = |body: &str| {
        let body = body.to_owned();
        served.post("/ai/run").header(CONTENT_TYPE, "application/json").body(body)
    };
    let no_ascii = HeaderValue::from_bytes(b"\xe4").unwrap();
    let cases: Vec<(&str, RequestBuilder, u16, &str)> = vec![
        ("flow", body(r#"{ "flowName": "Nope", "message": "Hi" }"#), 404, "FLOW_UNKNOWN"),
        ("session", served.run(Some("nope"), "Hi"), 404, "SESSION_UNKNOWN"),
        (
            "flow of the session",
            body(r#"{ "flowName": "OtherFlow", "message": "Hi" }"#).header("CHAT_SESSION_ID", id),
            409,
            "SESSION_FLOW_MISMATCH",
        ),
        ("no message", served.run(Some(id), " "), 400, "MESSAGE_EMPTY"),
        ("message", served.run(None, &"x".repeat(600_000)), 413, "MESSAGE_TOO_LARGE"),
        ("body", served.run(None, &"x".repeat(700_000)), 413, "BODY_TOO_LARGE"),
        ("no JSON", body("{ \"flowName\": "), 400, "REQUEST_INVALID"),
        ("deep", body(deep), 400, "REQUEST_INVALID"),
        ("no UTF-8", body("{}").body(b"{\"flowName\":\"\xff\"}".to_vec()), 400, "REQUEST_INVALID"),
        ("empty", body(""), 400, "REQUEST_INVALID"),
        ("a list", body("[]"), 400, "REQUEST_INVALID"),
        (
            "misspelled",
            body(r#"{ "flowName": "DeskFlow", "mesage": "Hi" }"#),
            400,
            "REQUEST_INVALID",
        ),
        ("type", body(r#"{ "flowName": "DeskFlow", "message": 1 }"#), 400, "REQUEST_INVALID"),
        (
            "image",
            body(
                r#"{ "flowName": "DeskFlow", "images": [{ "mediaType": "a/b", "data": "", "url": "" }] }"#,
            ),
            400,
            "REQUEST_INVALID",
        ),
        ("missing", body(r#"{ "message": "Hi" }"#), 400, "REQUEST_INVALID"),
        ("kind", served.post("/ai/run").body("{}"), 415, "BODY_NOT_JSON"),
        ("key", served.run(None, "Hi").header("Idempotency-Key", "short"), 400, "REQUEST_INVALID"),
        (
            "session's name",
            served.run(None, "Hi").header("CHAT_SESSION_ID", no_ascii),
            400,
            "REQUEST_INVALID",
        ),
        ("model", served.run(None, "fail"), 502, "MODEL_FAILED"),
        ("refusal", served.run(None, "block"), 422, "MODEL_BLOCKED"),
        ("route", served.get("/ai/nope"), 404, "NOT_FOUND"),
        ("method", served.get("/ai/run"), 405, "METHOD_NOT_ALLOWED"),
    ];
    for (what, request, status, code) in cases {
        let heard = hear(request).await;
        println!("{what}");
        heard.check_problem(status, code);
        assert!(!heard.text.contains(SECRET), "{what}: {}", heard.text);
    }
    // Nothing of all that came into the session.
    assert_eq!(super::stored(&served.engine, id).await.turns, 1);
}

#[tokio::test]
async fn a_turn_that_is_out_of_time_has_its_status_and_code() {
    let limit = Duration::from_millis(100);
    let served = Served::new(|service| service.turn_timeout(limit)).await;
    hear(served.run(None, "wait")).await.check_problem(504, "TURN_TIMED_OUT");
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_one() {
    let served = Served::open().await;
    let heard = hear(served.get("/ai/run")).await;
    assert_eq!(heard.header("allow"), Some("POST"));
}

#[tokio::test]
async fn a_misspelled_field_is_named() {
    let served = Served::open().await;
    let request = json!({ "flowName": "DeskFlow", "mesage": "Hi" });
    let heard = hear(served.post("/ai/run").json(&request)).await;
    let problem = heard.check_problem(400, "REQUEST_INVALID");
    assert!(problem["detail"].as_str().unwrap().contains("mesage"), "{problem}");
}

#[tokio::test]
async fn an_ended_session_is_gone_and_ending_what_is_gone_is_no_error() {
    let served = Served::open().await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let end = async || hear(served.post("/ai/end").header("CHAT_SESSION_ID", &id)).await;
    for _ in 0..2 {
        let heard: Heard = end().await;
        assert_eq!(heard.json(), json!({ "success": true, "session": id }));
    }
    assert!(served.engine.session(&id).await.unwrap().is_none());
    hear(served.run(Some(&id), "Hi")).await.check_problem(404, "SESSION_UNKNOWN");
    let unnamed = hear(served.post("/ai/end")).await;
    assert_eq!(unnamed.json(), json!({ "success": true, "session": null }));
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_ended() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("s.sqlite");
    let served = Served::on(SqliteStore::open(&file).await.unwrap(), |service| service).await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let behind = rusqlite::Connection::open(&file).unwrap();
    behind.execute("UPDATE session SET document = '{'", []).unwrap();
    assert!(served.engine.session(&id).await.is_err());
    let ended = hear(served.post("/ai/end").header("CHAT_SESSION_ID", &id)).await;
    assert_eq!(ended.json(), json!({ "success": true, "session": id }));
    assert!(served.engine.session(&id).await.unwrap().is_none());
}

#[tokio::test]
async fn the_flows_are_listed() {
    let served = Served::open().await;
    assert_eq!(hear(served.get("/ai/flows")).await.json(), json!(["DeskFlow", "OtherFlow"]));
}

#[tokio::test]
async fn a_service_stops_when_it_is_told_to_and_says_so_before() {
    let served = Served::open().await;
    assert_eq!(hear(served.get("/health")).await.status, 204);
    assert_eq!(hear(served.get("/ready")).await.status, 204);
    served.stop().await;
}
