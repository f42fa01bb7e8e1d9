//! Tools and flows as an MCP server.

use super::{
    McpError,
    handler::{Handler, Served},
    names::Taken,
    talk::Talk,
};
use crate::{
    Engine, NativeTool,
    web::{Names, Patience, Problem, Reach, Rule, guarded, serve, unknown_route, whole},
};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use rmcp::{
    ServiceExt,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_util::sync::CancellationToken;

/// Native tools, and the turns of flows, as the tools of an MCP server.
///
/// ```
/// use picoflow::{NativeTool, ToolContext, ToolDefinition, mcp::{McpServer, McpService}, no_arguments};
/// use tokio::net::TcpListener;
/// use tokio_util::sync::CancellationToken;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let ping = ToolDefinition::new("ping", "Answer", no_arguments());
/// let ping = NativeTool::new(ping, |_arguments, _cx| async { "pong" });
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let url = format!("http://{}/mcp", listener.local_addr()?);
/// let stop = CancellationToken::new();
/// let serving = tokio::spawn(McpService::new().tools(vec![ping]).serve_http(listener, stop.clone()));
///
/// let client = McpServer::http(url).connect().await?;
/// let tools = client.tools().await?;
/// let output = tools[0].execute(().into(), &ToolContext::default()).await;
/// assert_eq!(output.text(), "pong");
///
/// client.close().await;
/// stop.cancel();
/// serving.await??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "a service does nothing until it is served"]
pub struct McpService {
    name: String,
    instructions: Option<String>,
    tools: Vec<NativeTool>,
    talks: Vec<Talk>,
    names: Names,
    patience: Patience,
}

impl Default for McpService {
    fn default() -> Self {
        Self::new()
    }
}

impl McpService {
    /// A service without tools.
    /// See [`McpService`] for an example.
    pub fn new() -> Self {
        Self {
            name: "picoflow".to_owned(),
            instructions: None,
            tools: Vec::new(),
            talks: Vec::new(),
            names: Names::default(),
            patience: Patience::default(),
        }
    }

    /// What it calls itself. Default: `picoflow`.
    /// See [`instructions`](McpService::instructions) for an example.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// What a client may tell its model about the tools as a whole.
    ///
    /// ```
    /// use picoflow::mcp::McpService;
    ///
    /// let service = McpService::new().name("shop").instructions("Look up an order before you cancel it.");
    /// assert!(format!("{service:?}").contains("shop"));
    /// ```
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// More tools.
    /// See [`McpService`] for an example.
    pub fn tools(mut self, tools: impl IntoIterator<Item = NativeTool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// A flow as a tool of its name: each call is a turn. It takes `{ message, session? }`, and answers with the reply's
    /// text and with `{ session, text, completed }`. Whoever knows a session may go on with it.
    ///
    #[doc = include_str!("../docs/mcp_flow.md")]
    pub fn flow(self, engine: &Engine, flow: impl Into<String>) -> Self {
        let flow = flow.into();
        let description = format!(
            "Talk to the assistant `{flow}`. To go on with a conversation, give the `session` of its last answer."
        );
        let name = super::names::in_letters(&flow);
        self.flow_as(engine, flow, name, description)
    }

    /// The same under another name and description.
    /// See [`flow`](McpService::flow) for an example.
    pub fn flow_as(
        mut self,
        engine: &Engine,
        flow: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.talks.push(Talk {
            engine: engine.clone(),
            flow: flow.into(),
            name: name.into(),
            description: description.into(),
        });
        self
    }

    /// A name that the service is reached by over HTTP, besides this machine's own: `example.com`, with any port, or
    /// `example.com:8080`; `*` for all names. A request to another one is refused, which keeps web pages from reaching a
    /// service that is meant for this machine; pages of these hosts are served. On a listener of the network it is reached by
    /// every address too.
    ///
    /// ```
    /// use picoflow::mcp::McpService;
    ///
    /// let service = McpService::new().host("mcp.example.com").origin("https://app.example.com:443");
    /// assert!(format!("{service:?}").contains("mcp.example.com"));
    /// ```
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.names.hosts.push(host.into());
        self
    }

    /// A web page's origin whose requests are served, besides those of this machine and of the hosts:
    /// `https://app.example.com`, `http://app.example.com:*` with any port, `*` for all of them.
    /// See [`host`](McpService::host) for an example.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.names.origins.push(origin.into());
        self
    }

    /// The most bytes that a request over HTTP may have. Default: 1 MiB.
    ///
    /// ```
    /// use picoflow::mcp::McpService;
    /// use std::time::Duration;
    ///
    /// let service = McpService::new().body_bytes(8 << 20).client_timeout(Duration::from_secs(60)).connections(1000);
    /// assert!(format!("{service:?}").contains("connections: 1000"));
    /// ```
    pub const fn body_bytes(mut self, limit: usize) -> Self {
        self.patience.body_bytes = limit;
        self
    }

    /// The longest that a client may take to send a request's body over HTTP; and, with
    /// [`serve_http`](McpService::serve_http), to send its head, and to read anything of what it is sent. Default: 30 seconds.
    /// See [`body_bytes`](McpService::body_bytes) for an example.
    pub const fn client_timeout(mut self, limit: Duration) -> Self {
        self.patience.client_timeout = limit;
        self
    }

    /// How many connections [`serve_http`](McpService::serve_http) has at once; more of them wait. Default: 4,096, which the
    /// limit of open files of the process must allow.
    /// See [`body_bytes`](McpService::body_bytes) for an example.
    pub const fn connections(mut self, limit: usize) -> Self {
        self.patience.connections = limit;
        self
    }

    /// Serves the client at the other end of our standard input and output, until it leaves. Nothing else may write to
    /// standard output.
    ///
    /// # Errors
    /// When a tool cannot be served, or the client does not begin as one should.
    ///
    /// ```no_run
    /// # async fn run(tools: Vec<picoflow::NativeTool>) -> Result<(), picoflow::mcp::McpError> {
    /// use picoflow::mcp::McpService;
    ///
    /// McpService::new().tools(tools).stdio().await
    /// # }
    /// ```
    pub async fn stdio(self) -> Result<(), McpError> {
        self.serve(tokio::io::stdin(), tokio::io::stdout()).await
    }

    /// Serves one client over streams of any kind, until it leaves.
    ///
    /// # Errors
    /// When a tool cannot be served, or the client does not begin as one should.
    ///
    /// See [`McpServer::streams`](super::McpServer::streams) for an example.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), McpError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let failed = |reason| McpError::Begin { reason };
        let running = self.handler()?.serve((reader, writer)).await;
        let running = running.map_err(|error| failed(error.to_string()))?;
        running.waiting().await.map_err(|error| failed(error.to_string()))?;
        Ok(())
    }

    /// Serves streamable HTTP at `/mcp`, until `stop` fires. Calls that are running then are cancelled. The limits are those of
    /// [`body_bytes`](McpService::body_bytes), [`client_timeout`](McpService::client_timeout) and
    /// [`connections`](McpService::connections); the head of a request has at most 64 KiB and 100 headers.
    ///
    /// # Errors
    /// When a tool cannot be served, the settings name a host or an origin that cannot be one, or the listener fails.
    ///
    /// See [`McpService`] for an example.
    pub async fn serve_http(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> Result<(), McpError> {
        let patience = self.patience;
        let reach = Reach::on(listener.local_addr().map_err(McpError::Serve)?, false);
        let rule = self.rule(reach)?;
        let app = guarded(self.routes(stop.clone())?.fallback(unknown_route), rule);
        serve(listener, app, patience, stop).await.map_err(McpError::Serve)
    }

    /// Streamable HTTP at `/mcp`, to be merged into an app of one's own, which may ask for keys, limit connections and speak
    /// TLS. It is reached by this machine's names until [`host`](McpService::host) says by which others. Connections end when
    /// `stop` fires.
    ///
    /// # Errors
    /// When a tool cannot be served, or the settings name a host or an origin that cannot be one.
    ///
    /// ```
    /// use picoflow::mcp::{McpService, axum::Router};
    /// use tokio_util::sync::CancellationToken;
    ///
    /// let app: Router = Router::new().merge(McpService::new().router(CancellationToken::new())?);
    /// assert!(app.has_routes());
    /// # Ok::<(), picoflow::mcp::McpError>(())
    /// ```
    pub fn router(self, stop: CancellationToken) -> Result<Router, McpError> {
        let rule = self.rule(Reach::Local)?;
        Ok(guarded(self.routes(stop)?, rule))
    }

    fn rule(&self, reach: Reach) -> Result<Rule, McpError> {
        let (rule, wrong) = self.names.rule(reach);
        match wrong.into_iter().next() {
            Some(wrong) => Err(McpError::Setting { reason: wrong.to_string() }),
            None => Ok(rule),
        }
    }

    fn routes(self, stop: CancellationToken) -> Result<Router, McpError> {
        // Who may reach it is our own rule, before any of this.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_cancellation_token(stop);
        let patience = self.patience;
        let handler = self.handler()?;
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
        Ok(Router::new().route_service("/mcp", service).layer(from_fn_with_state(patience, arrive)))
    }

    /// Checks what is to be served.
    fn handler(self) -> Result<Handler, McpError> {
        let mut taken = Taken::default();
        let mut served = Vec::new();
        for tool in self.tools {
            taken.give(tool.name(), tool.name())?;
            served.push(Served::tool(tool)?);
        }
        for talk in self.talks {
            if talk.engine.flow(&talk.flow).is_none() {
                return Err(McpError::UnknownFlow { flow: talk.flow });
            }
            taken.give(&talk.name, &talk.flow)?;
            served.push(Served::talk(talk)?);
        }
        Ok(Handler::new(self.name, self.instructions, served))
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(NativeTool::name).collect();
        let flows: Vec<_> = self.talks.iter().map(|talk| &talk.flow).collect();
        f.debug_struct("McpService")
            .field("name", &self.name)
            .field("tools", &tools)
            .field("flows", &flows)
            .field("hosts", &self.names.hosts)
            .field("origins", &self.names.origins)
            .field("body_bytes", &self.patience.body_bytes)
            .field("client_timeout", &self.patience.client_timeout)
            .field("connections", &self.patience.connections)
            .finish_non_exhaustive()
    }
}

/// Waits for the body, within its limits, before anything is made of the request.
async fn arrive(
    State(patience): State<Patience>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let body = whole(body, patience.body_bytes, patience.client_timeout).await?;
    Ok(next.run(Request::from_parts(parts, body.into())).await)
}
