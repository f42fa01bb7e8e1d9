//! Turns as streams of events.

use super::{Served, hear};
use crate::support::within;
use picoflow::prelude::*;
use picoflow_tests::desk::SECRET;
use reqwest::{RequestBuilder, Response, StatusCode, header::ACCEPT};
use std::time::Duration;

fn streamed(request: RequestBuilder) -> RequestBuilder {
    request.header(ACCEPT, "text/event-stream")
}

/// The events of a stream: name, id and data.
fn events(text: &str) -> Vec<(String, Value)> {
    let field = |event: &str, name: &str| {
        let line = event.lines().find_map(|line| line.strip_prefix(name));
        line.map(|rest| rest.trim_start_matches(": ").to_owned())
    };
    let events = text.split("\n\n").filter(|event| field(event, "event").is_some());
    let read = |event: &str| {
        let data = serde_json::from_str(&field(event, "data").unwrap()).unwrap();
        (field(event, "event").unwrap(), data)
    };
    events.map(read).collect()
}

fn names(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(name, _)| &**name).collect()
}

#[tokio::test]
async fn a_turn_comes_as_it_happens_and_ends_with_the_envelope() {
    let served = Served::new(|service| service.inside(true)).await;
    let heard = hear(streamed(served.run(None, "back"))).await;
    assert_eq!(heard.header("content-type"), Some("text/event-stream"));
    assert_eq!(heard.header("x-accel-buffering"), Some("no"));
    let events = events(&heard.text);
    let expected = [
        "model_called",
        "tool_started",
        "tool_ended",
        "tool_called",
        "said",
        "moved",
        "model_called",
        "text",
        "text",
        "text",
        "text",
        "replied",
    ];
    assert_eq!(names(&events), expected);
    assert_eq!(events[1].1["tool"], "back");
    assert_eq!(events[4].1, json!({ "event": "said", "text": "One moment." }));
    let (_, last) = events.last().unwrap();
    assert_eq!((&last["success"], &last["message"]), (&json!(true), &json!("This is the back.")));
    assert_eq!(last["inside"]["step"], "Back");
    assert_eq!(heard.header("chat_session_id"), last["session"].as_str());
}

#[tokio::test]
async fn whoever_may_not_look_inside_gets_the_words_alone() {
    let served = Served::new(|service| service.inside(false)).await;
    let heard = hear(streamed(served.run(None, "keep note"))).await;
    let events = events(&heard.text);
    let expected = ["model_called", "model_called", "text", "text", "text", "replied"];
    assert_eq!(names(&events), expected);
    assert!(!heard.text.contains("keep"), "{}", heard.text);
    assert!(events.last().unwrap().1.get("inside").is_none());
}

#[tokio::test]
async fn a_turn_that_fails_ends_with_a_problem() {
    let served = Served::open().await;
    for (session, message, code) in
        [(None, "fail", "MODEL_FAILED"), (Some("nope"), "Hi", "SESSION_UNKNOWN")]
    {
        let heard = hear(streamed(served.run(session, message))).await;
        let events = events(&heard.text);
        let (name, problem) = events.last().unwrap();
        assert_eq!((&**name, &problem["code"]), ("error", &json!(code)));
        assert_eq!(problem["session"].as_str(), session);
        assert!(!heard.text.contains(SECRET));
    }
}

#[tokio::test]
async fn what_is_refused_before_the_turn_has_its_status() {
    let served = Served::open().await;
    let request = served.post("/ai/run").json(&json!({ "flow": "DeskFlow" }));
    hear(streamed(request)).await.check_problem(400, "REQUEST_INVALID");
}

async fn hear_until(response: &mut Response, what: &str) {
    let mut heard = String::new();
    while !heard.contains(what) {
        let chunk = within("more is said", response.chunk()).await.unwrap();
        heard += &String::from_utf8_lossy(&chunk.unwrap_or_else(|| panic!("only {heard}")));
    }
}

#[tokio::test]
async fn words_come_before_the_reply_is_complete() {
    let served = Served::open().await;
    let mut response = streamed(served.run(None, "wait")).send().await.unwrap();
    hear_until(&mut response, "Wait").await;
    served.model.open(1);
    hear_until(&mut response, "replied").await;
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_turn() {
    let served = Served::new(|service| service.turns(1)).await;
    for is_streamed in [true, false] {
        let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
        let request = served.run(Some(&id), "wait");
        if is_streamed {
            let mut response = streamed(request).send().await.unwrap();
            hear_until(&mut response, "Wait").await;
        } else {
            let client = tokio::spawn(request.send());
            served.waits(1).await;
            client.abort();
        }
        served.waits(0).await;
        // The one turn that may run is free again, and so is the session.
        let again = || served.run(Some(&id), "again");
        let next = served.hear_other_than(StatusCode::SERVICE_UNAVAILABLE, again).await.json();
        assert_eq!(next["message"], "You said: again");
        assert_eq!(super::stored(&served.engine, &id).await.turns, 2, "the turn left no trace");
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_does_not_hold_up_its_session() {
    let served = Served::new(|service| service.client_timeout(Duration::from_hours(1))).await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    // More than the buffers of two sockets: each word is an event.
    let words = 30_000;
    let mut unread = Vec::new();
    for _ in 0..4 {
        unread
            .push(streamed(served.run(Some(&id), &format!("words {words}"))).send().await.unwrap());
    }
    let next = within("the next turn", served.say(Some(&id), "Hi")).await;
    assert_eq!(next["message"], "You said: Hi");
    assert_eq!(super::stored(&served.engine, &id).await.turns, 6);
    for response in unread {
        assert!(Vec::from(response.bytes().await.unwrap()).len() > words);
    }
}
