//! A server as its user describes it.

use super::{McpClient, McpError, connect::Way, secrets::shown};
use std::{io, process::Command, time::Duration};
use tokio::io::{AsyncRead, AsyncWrite};

/// An MCP server whose tools a flow is to use.
///
/// ```no_run
/// use picoflow::{mcp::McpServer, prelude::*};
///
/// struct Files {
///     tools: Vec<NativeTool>,
/// }
///
/// # struct Ask;
/// # impl Step for Ask {
/// #     const ID: StepId = StepId::new("Ask");
/// # }
/// impl Flow for Files {
///     const ID: FlowId = FlowId::new("Files");
///     # fn model(&self) -> ModelRef { ModelRef::new("openai", "gpt-4o-mini") }
///     # fn steps(&self) -> Steps { Steps::new().add(Ask) }
///     fn native_tools(&self) -> Vec<NativeTool> {
///         self.tools.clone()
///     }
/// }
///
/// # async fn start() -> Result<(), picoflow::mcp::McpError> {
/// let files = McpServer::stdio(|| {
///     let mut command = std::process::Command::new("npx");
///     command.args(["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]);
///     command
/// });
/// let client = files.prefix("files_").allow(["read_text_file", "list_directory"]).connect().await?;
/// let flow = Files { tools: client.tools().await? };
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server is not asked for anything until `connect` is awaited"]
pub struct McpServer {
    pub(super) way: Way,
    pub(super) name: String,
    pub(super) prefix: String,
    pub(super) allowed: Option<Vec<String>>,
    pub(super) renamed: Vec<(String, String)>,
    pub(super) timeout: Duration,
    pub(super) connect_timeout: Duration,
}

impl McpServer {
    fn new(way: Way, name: String) -> Self {
        Self {
            way,
            name,
            prefix: String::new(),
            allowed: None,
            renamed: Vec::new(),
            timeout: Duration::from_secs(50),
            connect_timeout: Duration::from_secs(30),
        }
    }

    /// A process that is spoken to over its standard input and output. The function gives the command, anew for each
    /// connection; what the process writes to its standard error goes to ours. It ends with the connection.
    /// See [`McpServer`] for an example.
    pub fn stdio(command: impl Fn() -> Command + Send + Sync + 'static) -> Self {
        let name = command().get_program().to_string_lossy().into_owned();
        Self::new(Way::Process(std::sync::Arc::new(command)), name)
    }

    /// A server at an address, spoken to over streamable HTTP.
    ///
    /// ```
    /// use picoflow::mcp::McpServer;
    ///
    /// let server = McpServer::http("https://mcp.example.com/mcp").bearer("s3cret");
    /// assert!(!format!("{server:?}").contains("s3cret"));
    /// ```
    pub fn http(url: impl Into<String>) -> Self {
        let url = url.into();
        let name = shown(&url);
        Self::new(Way::Http { url: url.into(), headers: Vec::new() }, name)
    }

    /// A server behind streams of any kind, such as a socket. The function opens them, anew for each connection.
    ///
    /// ```
    /// use picoflow::{NativeTool, ToolContext, ToolDefinition, mcp::{McpServer, McpService}, no_arguments};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let ping = ToolDefinition::new("ping", "Answer", no_arguments());
    /// let ping = NativeTool::new(ping, |_arguments, _cx| async { "pong" });
    /// let service = McpService::new().tools(vec![ping]);
    ///
    /// let server = McpServer::streams(move || {
    ///     let (ours, theirs) = tokio::io::duplex(4096);
    ///     let (reader, writer) = tokio::io::split(theirs);
    ///     tokio::spawn(service.clone().serve(reader, writer));
    ///     async { Ok(tokio::io::split(ours)) }
    /// });
    /// let client = server.prefix("test_").connect().await?;
    /// let tools = client.tools().await?;
    /// assert_eq!(tools[0].name(), "test_ping");
    /// let output = tools[0].execute(().into(), &ToolContext::default()).await;
    /// assert_eq!(output.text(), "pong");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn streams<F, R, W>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::new(Way::streams(open), "streams".to_owned())
    }

    /// What it is called in errors and in the log. Default: the program, or the address.
    /// See [`McpError`] for an example.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// A header of each request over HTTP. Its value is not shown anywhere, nor where the server quotes it, if it is 16 bytes
    /// or longer. Other servers have no use for it.
    /// See [`bearer`](McpServer::bearer) for the usual one.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Way::Http { headers, .. } = &mut self.way {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// The token that a server at an address asks for.
    /// See [`http`](McpServer::http) for an example.
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header("authorization", format!("Bearer {}", token.as_ref()))
    }

    /// What the names of its tools begin with, so that two servers do not get into each other's way.
    /// See [`McpServer`] for an example.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The only tools that there shall be, by the server's names for them. Default: all. One that the server does not
    /// have is an error of [`McpClient::tools`].
    /// See [`McpServer`] for an example.
    pub fn allow<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.allowed.get_or_insert_default().extend(tools.into_iter().map(Into::into));
        self
    }

    /// Another name for a tool, instead of the server's with the prefix.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), picoflow::mcp::McpError> {
    /// use picoflow::mcp::McpServer;
    ///
    /// let server = McpServer::http("http://127.0.0.1:3001/mcp").rename("echo", "say_again");
    /// let tools = server.connect().await?.tools().await?;
    /// assert!(tools.iter().any(|tool| tool.name() == "say_again"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rename(mut self, tool: impl Into<String>, name: impl Into<String>) -> Self {
        self.renamed.push((tool.into(), name.into()));
        self
    }

    /// The longest that a call may take. Default: 50 s, which is less than a tool of a flow has by default; a longer one
    /// asks for a longer `Limits::tool_timeout` too.
    ///
    /// ```
    /// use picoflow::mcp::McpServer;
    /// use std::time::Duration;
    ///
    /// let server = McpServer::http("http://127.0.0.1:3001/mcp").timeout(Duration::from_secs(5));
    /// assert!(format!("{server:?}").contains("timeout: 5s"));
    /// ```
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// The longest that it may take to begin, or to list its tools. Default: 30 s.
    ///
    /// ```
    /// use picoflow::mcp::McpServer;
    /// use std::time::Duration;
    ///
    /// let server = McpServer::http("http://127.0.0.1:3001/mcp").connect_timeout(Duration::from_secs(5));
    /// assert!(format!("{server:?}").contains("connect_timeout: 5s"));
    /// ```
    pub const fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Connects. The connection is kept as long as the client, or a tool of it, is.
    ///
    /// # Errors
    /// When the server cannot be reached, or a header is none.
    ///
    /// See [`McpServer`] for an example.
    pub async fn connect(self) -> Result<McpClient, McpError> {
        McpClient::connect(self).await
    }
}
