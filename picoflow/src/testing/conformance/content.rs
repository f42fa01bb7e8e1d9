//! What a document may hold.

use super::{
    fault::Outcome,
    subject::{Subject, done, kept, next, with_state},
};
use picoflow_core::session::{Session, StoreError};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A character of each Unicode plane that has any, the ends of all planes, and what stores trip over.
const CHARACTERS: &str = "\u{0}\u{1}\u{7f}'\"\\%_/\u{e9}e\u{301}\u{d7ff}\u{e000}\u{fffd}\u{fffe}\u{ffff}\u{1f600}\
    \u{1ffff}\u{20000}\u{2fffd}\u{30000}\u{4abcd}\u{5abcd}\u{6abcd}\u{7abcd}\u{8abcd}\u{9abcd}\u{aabcd}\u{babcd}\
    \u{cabcd}\u{dabcd}\u{e0001}\u{f0000}\u{10ffff}\r\n\t\u{2028}\u{feff}\u{202e}";

/// What looks like something else: a time, an escape, an id, a statement, nothing.
const LOOKS: [&str; 12] = [
    "2026-02-11T09:14:02.113Z",
    "2026-02-11T09:14:02Z",
    "2026-02-11",
    "\\u0000",
    "\\\0",
    "\\\\u0000",
    "null",
    "1e5",
    "$oid",
    "'); DROP TABLE session; --",
    "",
    " ",
];

/// Bytes of a large text.
const LARGE: usize = 5 * 1024 * 1024;

/// The most levels that the engine lets a state have.
const DEEP: usize = 100;

/// More levels than `serde_json` reads.
const TOO_DEEP: usize = 500;

/// Creates a session with this state, looks for it, saves it once more and looks again.
async fn keeps(on: &Subject, state: Value) -> Outcome {
    let session = with_state(on.session("a")?, state);
    done("create", on.one.create(&session).await)?;
    kept(&*on.other, &session).await?;
    let saved = next(&session, "S");
    done("save", on.one.save(&saved, 0).await)?;
    kept(&*on.other, &saved).await
}

pub(super) async fn texts(on: Arc<Subject>) -> Outcome {
    let mut state: Map<_, _> =
        LOOKS.map(|text| (text.to_owned(), Value::from(text))).into_iter().collect();
    state.insert(CHARACTERS.to_owned(), Value::from(CHARACTERS));
    let each = CHARACTERS.chars().map(|character| Value::from(character.to_string()));
    state.insert("each".to_owned(), each.collect());
    keeps(&on, Value::Object(state)).await
}

pub(super) async fn numbers(on: Arc<Subject>) -> Outcome {
    let whole = json!([0, -1, u64::MAX, i64::MAX, i64::MIN, 9_007_199_254_740_993_u64]);
    let floats = json!([
        0.0,
        -0.0,
        1.0,
        0.1,
        -2.5e-7,
        1e16,
        1e22,
        123_456_789.123_456_78,
        5e-324,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        f64::MAX,
        f64::MIN,
    ]);
    keeps(&on, json!({ "floats": floats, "whole": whole })).await
}

pub(super) async fn keys(on: Arc<Subject>) -> Outcome {
    let mut inner = Map::new();
    for key in ["zebra", "a", "10", "9", "B", "b", "", "ab", "\u{e9}"] {
        inner.insert(key.to_owned(), json!({ "y": 1, "x": 2 }));
    }
    keeps(&on, json!({ "second": inner.clone(), "first": [inner] })).await
}

pub(super) async fn large(on: Arc<Subject>) -> Outcome {
    // No two parts are alike, so that none can be lost unseen.
    let mut text = String::with_capacity(LARGE + CHARACTERS.len() + 8);
    for part in 0_u32.. {
        if text.len() >= LARGE {
            break;
        }
        text.push_str(&part.to_string());
        text.push_str(CHARACTERS);
    }
    let session = with_state(on.session("a")?, json!({ "text": text }));
    done("create", on.one.create(&session).await)?;
    let saved = next(&session, "S");
    done("save", on.one.save(&saved, 0).await)?;
    kept(&*on.other, &saved).await
}

pub(super) async fn deep(on: Arc<Subject>) -> Outcome {
    // The state's own object is one of the levels.
    let arrays = (1..DEEP).fold(json!(1), |inner, _| json!([inner]));
    keeps(&on, json!({ "arrays": arrays })).await?;
    let objects = (0..DEEP).fold(json!(1), |inner, _| json!({ "a": inner }));
    let session = with_state(on.session("b")?, objects);
    done("create", on.one.create(&session).await)?;
    kept(&*on.other, &session).await
}

pub(super) async fn too_deep(on: Arc<Subject>) -> Outcome {
    let state = (0..TOO_DEEP).fold(json!(1), |inner, _| json!({ "a": inner }));
    let session = with_state(on.session("a")?, state);
    if on.one.create(&session).await.is_ok() && !is_unreadable(&on, &session).await {
        kept(&*on.other, &session).await?;
    }
    // The store is as good as before.
    let other = on.session("b")?;
    done("create", on.one.create(&other).await)?;
    kept(&*on.other, &other).await?;
    done("delete", on.one.delete(&session.id, None).await)
}

async fn is_unreadable(on: &Subject, session: &Session) -> bool {
    matches!(
        on.other.load(&session.id).await,
        Err(StoreError::Unreadable { session: id, .. }) if id == session.id
    )
}
