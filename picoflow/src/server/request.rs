//! What is read from a request besides its route.

use super::{api::Api, problem::Problem};
use axum::{
    Json,
    body::HttpBody,
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderName, StatusCode, header::ACCEPT},
};
use serde::de::DeserializeOwned;

/// Names the session, in requests and responses.
pub(super) const SESSION: HeaderName = HeaderName::from_static("chat_session_id");

/// Names a turn, so that it can be sent again.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A JSON body that has arrived in time.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Api> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        // One that says that it is too long is not waited for.
        if request.body().size_hint().lower() > api.service.body_bytes as u64 {
            let detail = format!("the body has more than {} bytes", api.service.body_bytes);
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", detail));
        }
        let read =
            tokio::time::timeout(api.service.client_timeout, Json::from_request(request, api))
                .await;
        let late = |_| {
            let detail = format!("the body did not arrive within {:?}", api.service.client_timeout);
            Problem::new(StatusCode::REQUEST_TIMEOUT, "BODY_LATE", detail)
        };
        let Json(body) = read.map_err(late)??;
        Ok(Self(body))
    }
}

/// The session that the request names.
pub(super) fn session(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(id) = headers.get(SESSION) else { return Ok(None) };
    match id.to_str() {
        Ok("") => Ok(None),
        Ok(id) if id.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(id.to_owned())),
        _ => Err(Problem::bad("the header `CHAT_SESSION_ID` is not visible ASCII")),
    }
}

/// The key that the request gives its turn.
///
/// The key of a first turn becomes a part of the session's id, so a short one would be too easy to guess.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(key) = headers.get(KEY) else { return Ok(None) };
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
