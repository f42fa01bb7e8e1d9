//! Problems of this service's own.

use crate::{TurnError, session::StoreError, web::Problem};
use axum::{
    extract::rejection::{JsonRejection, PathRejection, QueryRejection},
    http::StatusCode,
};

impl Problem {
    pub(super) fn not_found(what: &str, name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", format!("there is no {what} `{name}`"))
    }

    pub(super) fn forbidden(detail: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", detail)
    }

    pub(super) fn unavailable(detail: &'static str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", detail)
    }

    fn rejection(status: StatusCode, text: &str) -> Self {
        let text =
            text.trim_start_matches("Failed to deserialize the JSON body into the target type: ");
        let code = match status {
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

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        TurnError::from(error).into()
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::rejection(rejection.status(), &rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::rejection(rejection.status(), &rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::rejection(rejection.status(), &rejection.body_text())
    }
}
