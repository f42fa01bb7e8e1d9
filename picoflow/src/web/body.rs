//! The bodies of requests.

use super::Problem;
use axum::{
    body::{Body, HttpBody},
    http::StatusCode,
};
use futures_util::StreamExt;
use std::time::Duration;

/// The body, if it has at most so many bytes and arrives within the time.
pub(crate) async fn whole(body: Body, bytes: usize, limit: Duration) -> Result<Vec<u8>, Problem> {
    let too_large = || {
        let detail = format!("the body has more than {bytes} bytes: send less");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "BODY_TOO_LARGE", detail)
    };
    // One that says that it is too long is not waited for.
    if body.size_hint().lower() > bytes as u64 {
        return Err(too_large());
    }
    let read = tokio::time::timeout(limit, async {
        let mut parts = body.into_data_stream();
        let mut whole = Vec::new();
        while let Some(part) = parts.next().await {
            let part =
                part.map_err(|error| Problem::bad(format!("the body broke off: {error}")))?;
            if whole.len() + part.len() > bytes {
                return Err(too_large());
            }
            whole.extend_from_slice(&part);
        }
        Ok(whole)
    });
    read.await.unwrap_or_else(|_| {
        let detail = format!("the body did not arrive within {limit:?}: send it at once");
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "BODY_LATE", detail))
    })
}
