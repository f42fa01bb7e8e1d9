//! What each route does.

use super::{
    Caller, HttpService,
    request::{Body, key, name_session, session, wants_events},
    running::{Keys, Running},
    sse,
    wire::{Ended, Envelope, Graph, KeyHeader, List, ListRequest, RunRequest, SessionHeader},
};
use crate::{
    ContentType, Reply, Spent, Turn, TurnError,
    session::{Session, SessionQuery, StoreError},
    web::{Details, Problem, Seen, TurnLine},
};
use axum::{
    Extension, Json,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Semaphore, time::timeout};
use tokio_util::sync::CancellationToken;

/// The longest that the store may take to show what it keeps.
const LOOK: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(super) struct Api {
    pub(super) service: HttpService,
    pub(super) turns: Arc<Semaphore>,
    pub(super) keys: Arc<Keys>,
    pub(super) stop: CancellationToken,
}

impl Api {
    /// Whether the caller may look inside.
    const fn is_inside(&self, caller: &Caller) -> bool {
        self.service.inside || caller.is_operator()
    }

    fn inside(&self, caller: &Caller) -> Result<(), Problem> {
        let hidden = "what is inside is for operators: call as one, or have this service show it to everybody";
        if self.is_inside(caller) { Ok(()) } else { Err(Problem::forbidden(hidden)) }
    }
}

/// Runs one turn
///
/// With `Accept: text/event-stream`, what happens comes as it happens, as server-sent events: `text` and `said` for the
/// user, `model_called` where the text begins anew, and at the end `replied` with the envelope or `error` with a problem.
/// Who may look inside also gets the other events of a turn.
#[utoipa::path(
    post, path = "/ai/run", request_body = RunRequest,
    params(SessionHeader, KeyHeader),
    responses(
        (status = 200, description = "The reply. One whose content type is not `text/plain` is the message itself, without an envelope", headers(("Chat-Session-Id" = String, description = "The session"), ("CHAT_SESSION_ID" = String, description = "The same")), content(
            (Envelope = "application/json"), (String = "text/event-stream"), (String = "*/*"),
        )),
        (status = "default", response = Details),
    ),
)]
pub(super) async fn run(
    State(api): State<Api>,
    caller: Caller,
    Extension(seen): Extension<Seen>,
    headers: HeaderMap,
    Body(request): Body<RunRequest>,
) -> Result<Response, Problem> {
    let named = session(&headers)?;
    let (flow, spent) = (request.flow_name.clone(), Spent::default());
    let said = key(&headers).is_ok_and(|key| key.is_some()).then(|| request.digest());
    let asked = turn(&api, &caller, &headers, named.as_deref(), request);
    let (turn, session) = asked.map_err(|problem| problem.session(named.clone()))?;
    let key = key(&headers)?.zip(said);
    let key = key.map(|(key, said)| api.keys.take(caller.new_session(Some(key)), &session, said));
    let key = key.transpose().map_err(|problem| problem.session(named.clone()))?;
    let Ok(permit) = Arc::clone(&api.turns).try_acquire_owned() else {
        let problem = Problem::unavailable("as many turns are running as may run: try it again");
        return Err(problem.session(named));
    };
    let is_inside = api.is_inside(&caller);
    let turn = turn.spent(&spent);
    let line = seen.line().map(|line| TurnLine::begin(line, &flow, named.as_deref(), spent));
    let running = Running { line, key, permit };
    let mut response = if wants_events(&headers) {
        sse::respond(api.service.engine.stream(turn), running, is_inside, named.clone())
    } else {
        let result = api.service.engine.run(turn).await;
        running.end(result.as_ref());
        match result {
            Ok(reply) => respond(reply, is_inside),
            Err(error) => Problem::from(error).session(named.clone()).into_response(),
        }
    };
    let named = if response.status().is_success() { Some(session) } else { named };
    if let Some(id) = named {
        name_session(&mut response, &id);
    }
    Ok(response)
}

/// The turn that a request asks for, and its session.
fn turn(
    api: &Api,
    caller: &Caller,
    headers: &HeaderMap,
    named: Option<&str>,
    request: RunRequest,
) -> Result<(Turn, String), Problem> {
    if request.config.is_some() && caller.config.is_some() {
        return Err(Problem::bad("`config` is not for the request to say here: leave it out"));
    }
    let key = key(headers)?;
    let mut turn = Turn::new(request.flow_name).timeout(api.service.turn_timeout);
    let session = match named {
        Some(id) if !caller.may_use(id) => {
            return Err(TurnError::UnknownSession { session: id.to_owned() }.into());
        }
        Some(id) => {
            turn = turn.session(id);
            if let Some(key) = key {
                // A first turn may come again with the session that its answer told of.
                let is_first = caller.new_session(Some(key)) == id;
                turn = turn.token(if is_first { id } else { key });
            }
            id.to_owned()
        }
        None => {
            let id = caller.new_session(key);
            turn = turn.token(&id);
            if let Some(config) = &caller.config {
                turn = turn.config(config.clone());
            }
            id
        }
    };
    if let Some(config) = request.config {
        turn = turn.config(config);
    }
    if let Some(message) = request.message {
        turn = turn.message(message);
    }
    Ok((request.images.into_iter().map(Into::into).fold(turn, Turn::image), session))
}

/// An envelope around a plain text; anything else as it is.
fn respond(reply: Reply, is_inside: bool) -> Response {
    let kind = HeaderValue::try_from(reply.content_type.as_str());
    let kind = kind.ok().filter(|_| reply.content_type != ContentType::PLAIN);
    let Some(kind) = kind else {
        return Json(Envelope::new(reply, is_inside)).into_response();
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // A page that a model has written is not one of this service.
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox")),
    ];
    (headers, reply.text).into_response()
}

/// The names of the flows
#[utoipa::path(
    get, path = "/ai/flows",
    responses((status = 200, description = "In alphabetical order", body = Vec<String>), (status = "default", response = Details)),
)]
pub(super) async fn flows(State(api): State<Api>, _: Caller) -> Json<Vec<String>> {
    Json(api.service.engine.flows().map(|flow| flow.id().to_string()).collect())
}

/// A flow as data and as a picture, for those who may look inside
#[utoipa::path(
    get, path = "/ai/flows/{flow}/graph", params(("flow" = String, Path, description = "Its name")),
    responses((status = 200, description = "The flow", body = Graph), (status = "default", response = Details)),
)]
pub(super) async fn graph(
    State(api): State<Api>,
    caller: Caller,
    flow: Result<Path<String>, PathRejection>,
) -> Result<Json<Graph>, Problem> {
    api.inside(&caller)?;
    let Path(name) = flow?;
    let flow = api.service.engine.flow(&name).ok_or_else(|| Problem::not_found("flow", &name))?;
    Ok(Json(flow.into()))
}

/// Removes a session for good
///
/// There is no error if there is none.
#[utoipa::path(
    post, path = "/ai/end",
    params(SessionHeader),
    responses((status = 200, description = "It is gone", body = Ended), (status = "default", response = Details)),
)]
pub(super) async fn end(
    State(api): State<Api>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Json<Ended>, Problem> {
    let session = session(&headers)?;
    if let Some(id) = session.as_deref().filter(|id| caller.may_use(id)) {
        api.service.engine.delete_session(id).await?;
    }
    Ok(Json(Ended { success: true, session }))
}

/// The caller's sessions, by id
///
/// A service that keeps nobody apart lists none.
#[utoipa::path(
    get, path = "/ai/sessions", params(ListRequest),
    responses((status = 200, description = "A page of them", body = List), (status = "default", response = Details)),
)]
pub(super) async fn sessions(
    State(api): State<Api>,
    caller: Caller,
    request: Result<Query<ListRequest>, QueryRejection>,
) -> Result<Json<List>, Problem> {
    let Some(scope) = caller.scope() else {
        let detail =
            "a service that does not ask who calls lists no sessions, since they are everybody's";
        return Err(Problem::forbidden(detail));
    };
    let Query(request) = request?;
    if !(1..=1000).contains(&request.limit) {
        return Err(Problem::bad("`limit` is not between 1 and 1000"));
    }
    let status = request.status.map(|status| status.parse()).transpose();
    let after = request.after.filter(|after| after.as_str() > scope);
    let query = SessionQuery {
        flow: request.flow.map(Into::into),
        status: status
            .map_err(|_| Problem::bad("`status` is neither `running` nor `completed`"))?,
        // Ids come in order, so those of one caller stand together.
        after: after.or_else(|| Some(scope.to_owned()).filter(|scope| !scope.is_empty())),
        limit: request.limit,
        ..SessionQuery::default()
    };
    let found = look(api.service.engine.sessions(&query)).await?;
    let own = found.into_iter().take_while(|session| caller.may_use(&session.id));
    let own: Vec<_> = own.collect();
    let next = own.last().map(|session| session.id.clone());
    let next = next.filter(|_| own.len() == request.limit);
    Ok(Json(List { sessions: own.into_iter().map(Into::into).collect(), next }))
}

/// A session's document, for those who may look inside
#[utoipa::path(
    get, path = "/ai/sessions/{session}", params(("session" = String, Path, description = "Its id")),
    responses((status = 200, description = "As it was last written", body = Object), (status = "default", response = Details)),
)]
pub(super) async fn document(
    State(api): State<Api>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Session>, Problem> {
    api.inside(&caller)?;
    let Path(id) = id?;
    let stored =
        if caller.may_use(&id) { look(api.service.engine.session(&id)).await? } else { None };
    stored.map(Json).ok_or_else(|| Problem::not_found("session", &id))
}

/// Whether the process is there
#[utoipa::path(get, path = "/health", security(()), responses((status = 204, description = "It is")))]
pub(super) async fn health() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// Whether the service can take turns
#[utoipa::path(
    get, path = "/ready", security(()),
    responses((status = 204, description = "It can"), (status = 503, response = Details)),
)]
pub(super) async fn ready(State(api): State<Api>) -> Result<StatusCode, Problem> {
    if api.stop.is_cancelled() {
        return Err(Problem::unavailable("the service is about to stop"));
    }
    let query = SessionQuery { limit: 1, ..SessionQuery::default() };
    look(api.service.engine.sessions(&query)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the store shows, if it does in time.
async fn look<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, Problem> {
    let looked = timeout(LOOK, work).await.unwrap_or(Err(StoreError::TimedOut(LOOK)));
    Ok(looked?)
}
