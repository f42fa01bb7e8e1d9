//! What a client is told of a request that failed: a problem as of RFC 9457.

use crate::{TurnError, session::StoreError, status::status};
use axum::{
    Json,
    extract::rejection::{JsonRejection, PathRejection, QueryRejection},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::{ToResponse, ToSchema};

/// Why a request failed.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    session: Option<String>,
}

/// Why the request failed, as of RFC 9457.
#[derive(Serialize, ToSchema, ToResponse)]
#[response(description = "Why the request failed", content_type = "application/problem+json")]
pub(super) struct Details {
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
    pub(super) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), session: None }
    }

    pub(super) fn not_found(what: &str, name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", format!("there is no {what} `{name}`"))
    }

    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "REQUEST_INVALID", detail)
    }

    pub(super) fn forbidden(detail: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", detail)
    }

    pub(super) fn unavailable(detail: &'static str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", detail)
    }

    /// With the session that the request named.
    pub(super) fn session(mut self, session: Option<String>) -> Self {
        self.session = session;
        self
    }

    fn rejection(status: StatusCode, text: String) -> Self {
        let code = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "BODY_TOO_LARGE",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "BODY_NOT_JSON",
            _ => "REQUEST_INVALID",
        };
        // A text that does not fit the type is as wrong as one that is no JSON.
        let status = if status == StatusCode::UNPROCESSABLE_ENTITY {
            StatusCode::BAD_REQUEST
        } else {
            status
        };
        Self::new(status, code, text)
    }
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        let code = error.code();
        let status =
            StatusCode::from_u16(status(&error)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_client_error() {
            return Self::new(status, code, error.to_string());
        }
        // What went wrong inside is not for whoever calls.
        tracing::error!(code, "a turn failed: {error}");
        let detail = match &error {
            TurnError::TimedOut { .. } => "the turn took too long: try it again",
            TurnError::Model { .. } | TurnError::NoReply { .. } => {
                "the model gave no answer: try it again"
            }
            TurnError::Store(_) | TurnError::Journal { .. } => {
                "the sessions cannot be reached: try it again"
            }
            TurnError::SessionTooLarge { .. } => {
                "the session has no room for more: start a new one"
            }
            _ => "the turn failed; the service's log says why",
        };
        Self::new(status, code, detail)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        TurnError::from(error).into()
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::rejection(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::rejection(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::rejection(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status;
        let mut response = (status, Json(Details::from(self))).into_response();
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
