//! Keys that come again: with the same request, and with another one.

use super::{Heard, Served, hear};
use picoflow::{SqliteStore, prelude::*, server::Caller};
use reqwest::{RequestBuilder, header::ACCEPT};

const KEY: &str = "0123456789abcdef";

fn keyed(request: RequestBuilder) -> RequestBuilder {
    request.header("Idempotency-Key", KEY)
}

fn check_reused(heard: &Heard) {
    let problem = heard.check_problem(422, "TURN_TOKEN_REUSED");
    assert!(problem["detail"].as_str().unwrap().contains("new key"), "{problem}");
}

#[tokio::test]
async fn key_of_a_first_turn_with_another_request_is_refused() {
    let served = Served::open().await;
    let body = json!({
        "flowName": "DeskFlow", "message": "keep a", "config": { "a": 1, "b": 2 },
        "images": [{ "mediaType": "image/png", "url": "https://example.com/a" }],
    });
    let send = async |body: &Value| hear(keyed(served.post("/ai/run").json(body))).await;
    let first = send(&body).await.json();
    for (field, other) in [
        ("message", json!("keep b")),
        ("message", Value::Null),
        ("flowName", json!("OtherFlow")),
        ("config", json!({ "a": 1 })),
        ("config", Value::Null),
        ("images", json!([])),
        ("images", json!([{ "mediaType": "image/png", "url": "https://example.com/b" }])),
    ] {
        let mut changed = body.clone();
        changed[field] = other;
        check_reused(&send(&changed).await);
    }
    // In another order it is the same request.
    let mut same = body.clone();
    same["config"] = json!({ "b": 2, "a": 1 });
    for body in [&body, &same] {
        let again = send(body).await.json();
        assert_eq!((&again["replayed"], &again["message"]), (&json!(true), &first["message"]));
    }
    let id = first["session"].as_str().unwrap();
    assert_eq!(super::stored(&served.engine, id).await.turns, 1);
}

#[tokio::test]
async fn key_of_a_later_turn_with_another_request_is_refused() {
    let served = Served::open().await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let other = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let first = hear(keyed(served.run(Some(&id), "keep a"))).await.json();
    assert_eq!(first["replayed"], false);
    check_reused(&hear(keyed(served.run(Some(&id), "keep b"))).await);
    check_reused(&hear(keyed(served.run(Some(&other), "keep a"))).await);
    check_reused(&hear(keyed(served.run(None, "keep a"))).await);
    let again = hear(keyed(served.run(Some(&id), "keep a"))).await.json();
    assert_eq!((&again["replayed"], &again["message"]), (&json!(true), &first["message"]));
    for (id, turns) in [(&id, 2), (&other, 1)] {
        assert_eq!(super::stored(&served.engine, id).await.turns, turns);
    }
}

#[tokio::test]
async fn stream_with_a_reused_key_is_refused() {
    let served = Served::open().await;
    hear(keyed(served.run(None, "keep a"))).await;
    let stream = keyed(served.run(None, "keep b")).header(ACCEPT, "text/event-stream");
    check_reused(&hear(stream).await);
}

#[tokio::test]
async fn older_key_with_another_message_is_refused() {
    let served = Served::open().await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    hear(keyed(served.run(Some(&id), "keep a"))).await;
    served.say(Some(&id), "keep on").await;
    check_reused(&hear(keyed(served.run(Some(&id), "keep b"))).await);
    assert_eq!(super::stored(&served.engine, &id).await.turns, 3);
}

#[tokio::test]
async fn body_is_an_object() {
    let served = Served::open().await;
    let heard = hear(served.post("/ai/run").json(&json!(["DeskFlow", "Hi", null, []]))).await;
    assert_eq!(heard.status, 400, "{}", heard.text);
    assert!(heard.text.contains("the body is an array: send an object"), "{}", heard.text);
    let heard = hear(served.post("/ai/run").json(&json!("Hi"))).await;
    assert!(
        heard.text.contains("expected an object with `flowName` and `message`"),
        "{}",
        heard.text
    );
}

#[tokio::test]
async fn first_turn_may_come_again_with_its_session() {
    let served = Served::new(|service| {
        service.authenticate(async |token: String| Some(Caller::user(token)))
    })
    .await;
    let send = async |session: Option<&str>| {
        hear(keyed(served.run(session, "keep a")).bearer_auth("ann")).await.json()
    };
    let first = send(None).await;
    let again = send(first["session"].as_str()).await;
    assert_eq!((&again["replayed"], &again["session"]), (&json!(true), &first["session"]));
}

#[tokio::test]
async fn key_is_known_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sessions.sqlite");
    for (message, status) in [("keep a", 200), ("keep b", 422), ("keep a", 200)] {
        let store = SqliteStore::open(&file).await.unwrap();
        let served = Served::on(store, |service| service).await;
        let heard = hear(keyed(served.run(None, message))).await;
        assert_eq!(heard.status, status, "{message}: {}", heard.text);
        served.stop().await;
    }
}
