//! What a client is told of a request that failed: a problem as of RFC 9457.

use super::told;
use crate::{TurnError, status::status};
use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    session: Option<String>,
    /// For the log alone.
    cause: Option<String>,
}

/// A problem, for the log: a response carries it among its extensions.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    pub(crate) cause: Option<String>,
}

/// Why the request failed, as of RFC 9457.
#[derive(Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema, utoipa::ToResponse))]
#[cfg_attr(
    feature = "server",
    response(description = "Why the request failed", content_type = "application/problem+json")
)]
pub(crate) struct Details {
    /// The kind of problem: `about:blank`, since `status` and `code` say it.
    r#type: &'static str,
    /// What the status means.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// What is wrong with this request, and the way out.
    detail: String,
    /// A name for programs, such as `SESSION_UNKNOWN`. It does not change.
    code: &'static str,
    /// Always false.
    success: bool,
    /// Always false: a turn that fails never ends a session.
    completed: bool,
    /// The same as `detail`.
    message: String,
    /// The session that the request named.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

impl From<Problem> for Details {
    fn from(problem: Problem) -> Self {
        Self {
            r#type: "about:blank",
            // One status is not of the standard: what nginx calls it when nobody waits any more.
            title: problem.status.canonical_reason().unwrap_or("Client Closed Request"),
            status: problem.status.as_u16(),
            message: problem.detail.clone(),
            detail: problem.detail,
            code: problem.code,
            success: false,
            completed: false,
            session: problem.session,
        }
    }
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), session: None, cause: None }
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "REQUEST_INVALID", detail)
    }

    /// With the session that the request named.
    #[cfg(feature = "server")]
    pub(crate) fn session(mut self, session: Option<String>) -> Self {
        self.session = session;
        self
    }

    /// With what the log says, and the client is not told.
    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        let status =
            StatusCode::from_u16(status(&error)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let problem = Self::new(status, error.code(), told(&error));
        if status.is_server_error() { problem.cause(error.to_string()) } else { problem }
    }
}

impl IntoResponse for Problem {
    fn into_response(mut self) -> Response {
        let status = self.status;
        let failure = Failure { code: self.code, cause: self.cause.take() };
        // Texts and numbers can be written as JSON.
        let body = serde_json::to_vec(&Details::from(self)).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.extensions_mut().insert(failure);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
