//! Flows over HTTP.
//!
#![doc = include_str!("docs/server.md")]

mod access;
mod api;
mod caller;
mod document;
mod page;
mod problem;
mod request;
mod running;
mod serve;
mod sse;
mod wire;

/// The version of axum whose routers [`HttpService::router`] makes.
#[doc(no_inline)]
pub use axum;
pub use caller::Caller;

use crate::{
    Engine,
    web::{Names, Patience, Reach},
};
use access::Access;
use api::Api;
use axum::Router;
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The flows of an engine as an HTTP service.
///
/// | route | |
/// | --- | --- |
/// | `POST /ai/run` | one turn: `{ "flowName", "message", "config", "images" }`; the session is in the header `Chat-Session-Id` or `CHAT_SESSION_ID` |
/// | `GET /ai/flows` | the names of the flows |
/// | `GET /ai/flows/{flow}/graph` | the flow as data and as a picture |
/// | `POST /ai/end` | removes the session in the header for good |
/// | `GET /ai/sessions` | the caller's sessions |
/// | `GET /ai/sessions/{session}` | a session's document |
/// | `GET /health`, `GET /ready` | whether the process is there, and whether it can take turns |
/// | `GET /openapi.json` | all of this as an OpenAPI document |
/// | `GET /page` | a [page](HttpService::page) for a browser; on a listener of its own also at `/` |
///
#[doc = include_str!("docs/server_service.md")]
#[derive(Clone)]
#[must_use = "a service does nothing until it is served"]
pub struct HttpService {
    engine: Engine,
    access: Access,
    names: Names,
    patience: Patience,
    turn_timeout: Duration,
    turns: usize,
    inside: bool,
    page: bool,
}

impl HttpService {
    /// All flows of this engine, for whoever asks: a session is open to those who know its id.
    /// See [`HttpService`] for an example.
    pub fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            access: Access::Open,
            names: Names::default(),
            patience: Patience::default(),
            turn_timeout: Duration::from_mins(5),
            turns: 2048,
            inside: false,
            page: false,
        }
    }

    /// Serves only requests with the header `Authorization: Bearer SECRET`. Whoever has it is an
    /// [operator](Caller::operator). This is for one's own programs; for several users, see
    /// [`authenticate`](HttpService::authenticate).
    ///
    #[doc = include_str!("docs/server_access.md")]
    pub fn bearer(mut self, secret: impl AsRef<str>) -> Self {
        self.access = Access::secret(secret.as_ref());
        self
    }

    /// Serves only requests with a header `Authorization: Bearer TOKEN` whose token `check` knows. It says whose it is, and
    /// a caller's sessions are open to nobody else but operators.
    /// See [`bearer`](HttpService::bearer) for an example.
    pub fn authenticate<F>(mut self, check: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Caller>> + Send + 'static,
    {
        self.access = Access::Checked(Arc::new(move |token| Box::pin(check(token))));
        self
    }

    /// Serves only requests that have a [`Caller`] among their extensions, where a layer of the app that this is a part of
    /// has put it: whatever that app knows its users by, such as a cookie.
    ///
    #[doc = include_str!("docs/server_extension.md")]
    pub fn callers_from_extensions(mut self) -> Self {
        self.access = Access::Extension;
        self
    }

    /// The names that the service is reached by, besides this machine's own (`localhost`, `127.0.0.1`, `[::1]`):
    /// `bot.example.com`, with any port, or `bot.example.com:8080`; `*` for all of them. Requests for another host, and those
    /// of a page from elsewhere, are refused with status 403: so a web page cannot reach a service that is meant for this
    /// machine by letting its own name point to it. Pages of these hosts are served as well.
    ///
    /// Without this, [`serve`](HttpService::serve) on an address of the network is reached by every address too, and by
    /// every name if the service asks who calls; a [`router`](HttpService::router) is reached by this machine's names alone.
    ///
    #[doc = include_str!("docs/server_hosts.md")]
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.hosts.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// The origins of web pages whose requests are served, besides those of this machine and of the
    /// [hosts](HttpService::hosts): `https://app.example.com`, `http://app.example.com:*` with any port, `null` for pages
    /// without an origin; `*` for all of them. What a browser asks before it sends them (CORS) is for a layer of your app.
    /// See [`hosts`](HttpService::hosts) for an example.
    pub fn origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// The most bytes that the body of a request may have. Default: 1 MiB. Images come in bodies, in base64, unless they are
    /// given by their address.
    ///
    #[doc = include_str!("docs/server_limits.md")]
    pub const fn body_bytes(mut self, limit: usize) -> Self {
        self.patience.body_bytes = limit;
        self
    }

    /// The longest that a client may take to send a request's body; and, where the service has a
    /// [listener of its own](HttpService::serve), to send its head, and to read anything of what it is sent. A connection that
    /// is idle is closed after that time too. Default: 30 seconds.
    /// See [`body_bytes`](HttpService::body_bytes) for an example.
    pub const fn client_timeout(mut self, limit: Duration) -> Self {
        self.patience.client_timeout = limit;
        self
    }

    /// The longest that a turn may take: see [`Turn::timeout`](crate::Turn::timeout). Default: 5 minutes.
    /// See [`body_bytes`](HttpService::body_bytes) for an example.
    pub const fn turn_timeout(mut self, limit: Duration) -> Self {
        self.turn_timeout = limit;
        self
    }

    /// How many turns may run at once. One more is answered with status 503, to be tried again. Default: 2,048.
    /// See [`body_bytes`](HttpService::body_bytes) for an example.
    pub const fn turns(mut self, limit: usize) -> Self {
        self.turns = limit;
        self
    }

    /// How many connections [`serve`](HttpService::serve) has at once; more of them wait. Default: 4,096, which the limit
    /// of open files of the process must allow.
    /// See [`body_bytes`](HttpService::body_bytes) for an example.
    pub const fn connections(mut self, limit: usize) -> Self {
        self.patience.connections = limit;
        self
    }

    /// Whether every caller may look inside: at the steps, the tool calls with their arguments and results, what the model
    /// thinks, and the documents of the sessions that are theirs. An operator always may. Default: no.
    ///
    #[doc = include_str!("docs/server_inside.md")]
    pub const fn inside(mut self, is_open: bool) -> Self {
        self.inside = is_open;
        self
    }

    /// Whether the service has a page for a browser: a chat, and beside it the flow's steps with the current one lit, the
    /// tool calls and transitions of each turn, the state, the warnings and the tokens, as far as the caller may look
    /// [inside](HttpService::inside). Default: no.
    ///
    /// It is at `/page`, and on a listener of its own also at `/`. Nested under `/assistant`, it is at `/assistant/page`.
    /// Its files are open to everybody, since they hold nothing but themselves: where the service wants a token, it asks for it.
    ///
    #[doc = include_str!("docs/server_page.md")]
    pub const fn page(mut self, is_served: bool) -> Self {
        self.page = is_served;
        self
    }

    /// The service as a router, to be nested in or merged into an app of one's own, which speaks TLS and limits
    /// connections. It is reached by this machine's names until [`hosts`](HttpService::hosts) says by which others; a host or
    /// origin that cannot be one is an error in the log, and allows nothing.
    ///
    #[doc = include_str!("docs/server_router.md")]
    pub fn router(self) -> Router {
        let (rule, wrong) = self.names.rule(Reach::Local);
        for wrong in wrong {
            crate::__report!(ERROR, "the settings of the HTTP service: {wrong}");
        }
        let (api, page) = self.api(CancellationToken::new(), &["/page"]);
        document::router(api, page, rule)
    }

    /// With the page at these paths, if it is wanted.
    fn api<'a>(self, stop: CancellationToken, page: &'a [&'a str]) -> (Api, &'a [&'a str]) {
        let turns = Arc::new(Semaphore::new(self.turns.min(Semaphore::MAX_PERMITS)));
        let page = if self.page { page } else { &[] };
        (Api { service: self, turns, keys: Arc::default(), stop }, page)
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("engine", &self.engine)
            .field("access", &self.access)
            .field("hosts", &self.names.hosts)
            .field("origins", &self.names.origins)
            .field("body_bytes", &self.patience.body_bytes)
            .field("client_timeout", &self.patience.client_timeout)
            .field("turn_timeout", &self.turn_timeout)
            .field("turns", &self.turns)
            .field("connections", &self.patience.connections)
            .field("inside", &self.inside)
            .field("page", &self.page)
            .finish()
    }
}
