//! What can be wrong with a server, or with what is to be served.

use std::{io, time::Duration};

/// Why an MCP server has no tools for us, or why ours cannot be served.
///
/// What goes wrong in a call is no such error: the model is told, and the log holds the details.
///
/// ```
/// use picoflow::mcp::{McpError, McpServer};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = McpServer::stdio(|| std::process::Command::new("/no/such/program")).name("files");
/// let error = server.connect().await.unwrap_err();
/// assert!(matches!(&error, McpError::Connect { server, .. } if server == "files"));
/// assert!(error.to_string().starts_with("the MCP server `files` cannot be reached: "));
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The server cannot be reached, or does not begin as one should.
    #[error("the MCP server `{server}` cannot be reached: {reason}")]
    Connect {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// The server took too long to begin.
    #[error(
        "the MCP server `{server}` did not begin within {limit:?}: see what it writes to its standard error, or raise `connect_timeout`"
    )]
    ConnectTimeout {
        /// The server.
        server: String,
        /// The limit.
        limit: Duration,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` for the MCP server `{server}` is not one: {reason}")]
    Header {
        /// The server.
        server: String,
        /// The header's name.
        name: String,
        /// What is wrong with it. It does not hold its value.
        reason: String,
    },
    /// The server did not list its tools.
    #[error("the MCP server `{server}` did not list its tools: {reason}")]
    List {
        /// The server.
        server: String,
        /// Why.
        reason: String,
    },
    /// A tool that the settings name is not there.
    #[error(
        "the MCP server `{server}` has no tool `{tool}`, which `{setting}` names; it has {known}"
    )]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The setting: `allow` or `rename`.
        setting: &'static str,
        /// The tools that there are.
        known: String,
    },
    /// A tool has a name that no model can use.
    #[error(
        "the tool `{tool}` would be called `{name}`, which is not 1 to 64 letters, digits, `_` and `-`: rename it, take a shorter prefix, or leave it out"
    )]
    Name {
        /// The tool, as its owner calls it.
        tool: String,
        /// The name that it would have.
        name: String,
    },
    /// Two tools would have one name.
    #[error("the tools `{first}` and `{second}` would both be called `{name}`: rename one of them")]
    DuplicateName {
        /// The name.
        name: String,
        /// One of them, as its owner calls it.
        first: String,
        /// The other.
        second: String,
    },
    /// A tool's schema is none.
    #[error("the schema of the tool `{tool}` is no JSON object: an MCP client could not read it")]
    Schema {
        /// The tool.
        tool: String,
    },
    /// The engine has no such flow.
    #[error("flow `{flow}` is not registered: add it with `Engine::builder().flow(..)`")]
    UnknownFlow {
        /// The flow asked for.
        flow: String,
    },
    /// The service's settings name a host or an origin that cannot be one.
    #[error("the MCP service cannot be reached as its settings say: {reason}")]
    Setting {
        /// Which, and how it is written.
        reason: String,
    },
    /// The client did not begin as one should.
    #[error("the MCP client did not begin: {reason}")]
    Begin {
        /// Why.
        reason: String,
    },
    /// The HTTP server failed.
    #[error("the MCP service cannot be served: {0}")]
    Serve(#[source] io::Error),
}
