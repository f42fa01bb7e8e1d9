//! The routes, and the `OpenAPI` document that is made of them.

use super::{
    api::{self, Api},
    page,
};
use crate::web::{Details, Problem, Rule, guarded, unknown_route};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request},
    http::StatusCode,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Description, RefOr, Schema, Server,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

#[derive(OpenApi)]
#[openapi(
    info(title = "picoflow", description = "Conversations with flows"),
    components(responses(Details)),
    modifiers(&Place)
)]
struct Document;

/// Where the service is, and how a caller says who it is.
struct Place;

impl Modify for Place {
    fn modify(&self, description: &mut Description) {
        // Relative to the document, so that it holds wherever the router is nested.
        description.servers = Some(vec![Server::new("./")]);
        if let Some(components) = &mut description.components {
            let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
            components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        }
        // One or none: a service may be open.
        let bearer = SecurityRequirement::new::<_, _, String>("bearer", []);
        description.security = Some(vec![bearer, SecurityRequirement::default()]);
    }
}

/// The service as a part of an app.
pub(super) fn router(api: Api, page_at: &[&str], rule: Rule) -> Router {
    guarded(routes(api, page_at), rule)
}

/// The service as an app of its own.
pub(super) fn app(api: Api, page_at: &[&str], rule: Rule) -> Router {
    guarded(routes(api, page_at).fallback(unknown_route), rule)
}

fn routes(api: Api, page_at: &[&str]) -> Router {
    let flows: Vec<_> = api.service.engine.flows().map(|flow| flow.id().to_string()).collect();
    let (router, mut description) = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(api::run))
        .routes(routes!(api::flows))
        .routes(routes!(api::graph))
        .routes(routes!(api::end))
        .routes(routes!(api::sessions))
        .routes(routes!(api::document))
        .routes(routes!(api::health))
        .routes(routes!(api::ready))
        .split_for_parts();
    name_flows(&mut description, flows);
    router
        .merge(page::router(page_at))
        .route("/openapi.json", get(async move || Json(description)))
        .method_not_allowed_fallback(wrong_method)
        // What a body may have is looked after where it is read.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(catch))
        .with_state(api)
}

/// The flows that there are, for those who make a client of the description.
fn name_flows(description: &mut Description, flows: Vec<String>) {
    let schemas = description.components.as_mut().map(|components| &mut components.schemas);
    if let Some(RefOr::T(Schema::Object(request))) = schemas.and_then(|it| it.get_mut("RunRequest"))
        && let Some(RefOr::T(Schema::Object(name))) = request.properties.get_mut("flowName")
    {
        name.enum_values = Some(flows.into_iter().map(Into::into).collect());
    }
}

async fn wrong_method() -> Problem {
    let detail = "this route has other methods: see the header `Allow`";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", detail)
}

/// A panic, such as of what checks a caller, is a failed request like any other.
async fn catch(request: Request, next: Next) -> Response {
    let response = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    response.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        let detail = "the request failed; the service's log says why";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "PANICKED", detail)
            .cause(text.unwrap_or_else(|| "a panic".to_owned()))
            .into_response()
    })
}
