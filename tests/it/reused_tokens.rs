//! A token that comes again with another turn than it was first given to.

use crate::{
    sessions::{flow, notes},
    support::{Talk, TestFlow},
};
use futures_util::{StreamExt, future::join_all};
use picoflow::{
    TurnBatch, TurnError,
    prelude::*,
    session::{Image, Session, SessionStore},
};

const FIRST: &str = "3d1f0b46-2c8e-4a53-9d1c-6a0e1f2b3c4d";

fn first(message: &str) -> Turn {
    Turn::new(TestFlow::ID).message(message).token(FIRST)
}

#[track_caller]
fn check_reused(result: Result<picoflow::Reply, TurnError>, session: &str, token: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), "TURN_TOKEN_REUSED");
    assert!(
        matches!(&error, TurnError::ReusedToken { session: s, token: t } if s == session && t == token),
        "{error}"
    );
}

#[tokio::test]
async fn token_with_another_turn_is_refused() {
    let mut talk = Talk::of(flow(), notes()).await;
    let reply = talk.run(first("Hi")).await.unwrap();
    let image = Image::url("image/png", "https://example.com/a");
    for other in [
        first("Hi!"),
        first("Hi").image(image.clone()),
        first("Hi").config(json!({})),
        Turn::new(TestFlow::ID).token(FIRST),
    ] {
        check_reused(talk.engine.run(other).await, FIRST, FIRST);
    }
    assert_eq!(talk.engine.run(first("Hi")).await.unwrap().text, reply.text);

    let next = |message: &str| talk.turn(message).token("2");
    let (same, other, shows) = (next("More"), next("Less"), next("More").image(image));
    assert!(!talk.run(same.clone()).await.unwrap().replayed);
    for other in [other, shows] {
        check_reused(talk.engine.run(other).await, FIRST, "2");
    }
    assert!(talk.engine.run(same).await.unwrap().replayed);
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi", "More"] }));
    assert_eq!(talk.session().await.error, []);
}

#[tokio::test]
async fn document_without_a_digest_is_answered_as_before() {
    let mut talk = Talk::of(flow(), notes()).await;
    talk.run(first("Hi")).await.unwrap();
    let stored = talk.session().await;
    let mut document = serde_json::to_value(&stored).unwrap();
    let digest = document["lastTurn"].as_object_mut().unwrap().remove("digest").unwrap();
    assert_eq!(digest.as_str().unwrap().len(), 64);
    document["revision"] = json!(stored.revision + 1);
    let older: Session = serde_json::from_value(document).unwrap();
    let store = picoflow::session::MemoryStore::new();
    store.create(&older).await.unwrap();
    let talk = Talk::on(flow(), notes(), std::sync::Arc::new(store)).await;
    assert!(talk.engine.run(first("Other")).await.unwrap().replayed);
}

#[tokio::test]
async fn of_turns_at_once_with_one_token_one_runs() {
    let talk = Talk::of(flow(), notes()).await;
    let turns = ["a", "b", "c", "d"].map(|message| talk.engine.run(first(message)));
    let results = join_all(turns).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(error.code(), "TURN_TOKEN_REUSED");
    }
}

#[tokio::test]
async fn batch_again_with_another_item_refuses_it() {
    let talk = Talk::of(flow(), notes()).await;
    let run = async |b: &str| {
        let turn = |message: &str| Turn::new(TestFlow::ID).message(message);
        let batch = TurnBatch::new("b").item("a", turn("one")).item("b", turn(b));
        let done: Vec<_> = talk.engine.run_batch(batch).unwrap().collect().await;
        let find = |key: &str| done.iter().find(|item| item.key == key).unwrap();
        ["a", "b"].map(|key| match &find(key).result {
            Ok(reply) if reply.replayed => "replayed",
            Ok(_) => "ran",
            Err(error) => error.code(),
        })
    };
    assert_eq!(run("two").await, ["ran", "ran"]);
    assert_eq!(run("two").await, ["replayed", "replayed"]);
    assert_eq!(run("three").await, ["replayed", "TURN_TOKEN_REUSED"]);
}
