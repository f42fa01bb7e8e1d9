//! What is read from a request besides its route.

use super::api::Api;
use crate::web::{Problem, whole};
use axum::{
    Json,
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderName, HeaderValue, header::ACCEPT},
    response::Response,
};
use serde::de::DeserializeOwned;

/// Names the session, in requests and responses. The first is the one of the reference product; proxies drop names with an
/// underscore, and pass the second.
const SESSION: [HeaderName; 2] =
    [HeaderName::from_static("chat_session_id"), HeaderName::from_static("chat-session-id")];

/// Names a turn, so that it can be sent again.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A JSON body that has arrived in time.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Api> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let patience = &api.service.patience;
        let body = whole(body, patience.body_bytes, patience.client_timeout).await?;
        // Serde would take a list of the fields in their order.
        if body.trim_ascii_start().starts_with(b"[") {
            return Err(Problem::bad("the body is an array: send an object"));
        }
        let request = Request::from_parts(parts, body.into());
        let Json(body) = Json::from_request(request, api).await?;
        Ok(Self(body))
    }
}

/// The session that the request names.
pub(super) fn session(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut named = None;
    for value in SESSION.iter().flat_map(|name| headers.get_all(name)) {
        match value.to_str() {
            Ok("") => {}
            Ok(id) if !id.bytes().all(|byte| byte.is_ascii_graphic()) => return Err(not_visible()),
            Ok(id) if named.is_none_or(|named| named == id) => named = Some(id),
            Ok(_) => {
                return Err(Problem::bad(
                    "the headers `Chat-Session-Id` and `CHAT_SESSION_ID` name several sessions: send one of them",
                ));
            }
            Err(_) => return Err(not_visible()),
        }
    }
    Ok(named.map(str::to_owned))
}

fn not_visible() -> Problem {
    Problem::bad("the header `Chat-Session-Id` (or `CHAT_SESSION_ID`) is not visible ASCII")
}

/// Tells the session, under both names.
pub(super) fn name_session(response: &mut Response, id: &str) {
    for name in SESSION {
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(name, id);
        }
    }
}

/// The key that the request gives its turn.
///
/// The key of a first turn becomes a part of the session's id, so a short one would be too easy to guess.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.any(|other| other != key) {
        return Err(Problem::bad("the request has several headers `Idempotency-Key`: send one"));
    }
    let key = key.to_str().ok().filter(|key| {
        (16..=64).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    });
    key.map(Some).ok_or_else(|| {
        Problem::bad(
            "the header `Idempotency-Key` is not 16 to 64 visible ASCII characters: make it a UUID",
        )
    })
}

/// Whether the client would like the turn as a stream of events.
pub(super) fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = accepted.flat_map(|value| value.split(','));
    kinds.any(|kind| {
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("text/event-stream")
    })
}
