//! What the HTTP service and the MCP service share: connections, bodies, who may reach them by which name, the log, problems.

mod body;
mod connections;
mod line;
mod names;
mod problem;
mod told;

pub(crate) use body::whole;
pub(crate) use connections::{Patience, serve};
pub(crate) use line::{Line, Seen, TurnLine};
#[cfg(feature = "cli")]
pub(crate) use names::checked_host;
pub(crate) use names::{Names, Reach, Rule};
#[cfg(feature = "server")]
pub(crate) use problem::Details;
pub(crate) use problem::Problem;
pub(crate) use told::told;

use axum::{
    Router,
    extract::{Request, State},
    http::{
        HeaderValue, StatusCode, Uri,
        header::{CACHE_CONTROL, ETAG},
    },
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
};
use std::sync::Arc;

/// The router behind what both services do with each request: a line in the log, the rule of names, and `no-store`.
pub(crate) fn guarded<S: Clone + Send + Sync + 'static>(
    router: Router<S>,
    rule: Rule,
) -> Router<S> {
    router.layer(from_fn_with_state(Arc::new(rule), guard))
}

async fn guard(State(rule): State<Arc<Rule>>, mut request: Request, next: Next) -> Response {
    let line = Line::begin(&request);
    request.extensions_mut().insert(line.seen());
    let refused = rule.check(request.version(), request.uri(), request.headers());
    let mut response = match refused {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    // What has a tag is a file of the page. All else may hold what somebody said.
    if !response.headers().contains_key(ETAG) {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    line.ends_with(response)
}

/// What a service on a listener of its own says to a request for another route.
pub(crate) async fn unknown_route(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", format!("there is no route `{}`", uri.path()))
}
