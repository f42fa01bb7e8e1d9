//! How the service gets to know who calls.

use super::{Caller, api::Api};
use crate::{BoxFuture, web::Problem};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, StatusCode, header::AUTHORIZATION, request::Parts},
};
use sha2::{Digest, Sha256};
use std::{fmt, sync::Arc};

type Check = dyn Fn(String) -> BoxFuture<'static, Option<Caller>> + Send + Sync;

#[derive(Clone)]
pub(super) enum Access {
    Open,
    Checked(Arc<Check>),
    Extension,
}

impl Access {
    /// Operators are who have the secret.
    pub(super) fn secret(secret: &str) -> Self {
        // Digests are compared, so the time it takes says nothing about the secret.
        let expected = Sha256::digest(secret);
        Self::Checked(Arc::new(move |token| {
            let is_right = !token.is_empty() && Sha256::digest(token) == expected;
            Box::pin(async move { is_right.then(Caller::operator) })
        }))
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Checked(_) => "Checked",
            Self::Extension => "Extension",
        })
    }
}

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let caller = match &api.service.access {
            Access::Open => Some(Self::anyone()),
            Access::Extension => parts.extensions.get::<Self>().cloned(),
            Access::Checked(check) => match bearer(&parts.headers) {
                Some(token) => check(token.to_owned()).await,
                None => None,
            },
        };
        caller.ok_or_else(|| {
            let detail = match &api.service.access {
                Access::Extension => "this service wants to know who calls: log in",
                _ => "this service wants to know who calls: send a valid `Authorization: Bearer TOKEN`",
            };
            Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", detail)
        })
    }
}

/// The token of a header `Authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
