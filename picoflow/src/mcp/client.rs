//! The connection to a server, and its tools.

use super::{
    McpError, McpServer,
    connect::Running,
    names::{Taken, in_letters},
};
use crate::{NativeTool, ToolDefinition};
use rmcp::{
    ClientHandler, Peer, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, Tool},
    service::NotificationContext,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fmt,
    sync::{
        Arc, Mutex as StdMutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{Mutex, watch};

/// The connection to an [`McpServer`]. It is opened again by the next call when it is lost.
///
/// See [`McpServer`] for an example.
#[derive(Clone)]
pub struct McpClient(pub(super) Arc<Shared>);

/// What the client and its tools share.
pub(super) struct Shared {
    pub(super) server: McpServer,
    running: Mutex<Option<Arc<Running>>>,
    /// Whether there was a connection already.
    connected: AtomicBool,
    changes: watch::Sender<u64>,
    listed: StdMutex<Listed>,
}

/// The server's tools as they were last seen.
#[derive(Default)]
struct Listed {
    /// How many changes there had been.
    at: u64,
    names: BTreeSet<String>,
}

impl McpClient {
    pub(super) async fn connect(server: McpServer) -> Result<Self, McpError> {
        let shared = Arc::new(Shared {
            server,
            running: Mutex::default(),
            connected: AtomicBool::default(),
            changes: watch::Sender::default(),
            listed: StdMutex::default(),
        });
        shared.running().await?;
        Ok(Self(shared))
    }

    /// The server's tools, as native tools of a flow.
    ///
    /// Names are the server's with the prefix; what is not a letter, a digit, `_` or `-` becomes `_`. Flows are compiled
    /// once: what the server changes later is seen by the next engine that is built with a new list. Until then, a call
    /// of a tool that the server does not have any more is an error that the model is told.
    ///
    /// # Errors
    /// When the server cannot be reached or does not list its tools; when `allow` or `rename` names a tool that is not
    /// there; when a name is not 1 to 64 characters long, or two tools would have the same.
    ///
    /// See [`McpServer`] for an example.
    pub async fn tools(&self) -> Result<Vec<NativeTool>, McpError> {
        let running = self.0.running().await?;
        let tools = self.0.list(&running).await?;
        let server = &self.0.server;
        let renamed = server.renamed.iter().map(|(tool, _)| ("rename", tool));
        let allowed = server.allowed.iter().flatten().map(|tool| ("allow", tool));
        for (setting, tool) in allowed.chain(renamed) {
            if !tools.iter().any(|known| known.name == *tool) {
                let known: Vec<&str> = tools.iter().map(|known| &*known.name).collect();
                return Err(McpError::UnknownTool {
                    server: server.name.clone(),
                    tool: tool.clone(),
                    setting,
                    known: known.join(", "),
                });
            }
        }
        let mut taken = Taken::default();
        let is_allowed = |tool: &Tool| {
            server
                .allowed
                .as_ref()
                .is_none_or(|allowed| allowed.iter().any(|name| *name == tool.name))
        };
        let native = |tool: Tool| {
            let renamed = server.renamed.iter().find(|(of, _)| *of == tool.name);
            let name = renamed.map_or_else(
                || format!("{}{}", server.prefix, in_letters(&tool.name)),
                |(_, name)| name.clone(),
            );
            taken.give(&name, &tool.name)?;
            Ok(self.native(name, tool))
        };
        tools.into_iter().filter(is_allowed).map(native).collect()
    }

    fn native(&self, name: String, tool: Tool) -> NativeTool {
        let description =
            tool.description.or_else(|| tool.title.map(Into::into)).unwrap_or_default();
        let schema = Value::Object((*tool.input_schema).clone());
        let definition = ToolDefinition::new(name, description, schema);
        let (shared, called) = (Arc::clone(&self.0), tool.name);
        // The call has limits of its own, which tell what happened: time to begin, twice, and time to answer.
        let limit = (self.0.server.timeout + self.0.server.connect_timeout * 2) * 2;
        NativeTool::new(definition, move |arguments, _cx| {
            let (shared, called) = (Arc::clone(&shared), called.clone());
            async move { shared.call(&called, arguments).await }
        })
        .timeout(limit)
        .with_origin(format!("MCP server `{}`", self.0.server.name))
    }

    /// How often the server said that its tools changed, or was connected to anew. When the number is another than at the
    /// time of [`tools`](McpClient::tools), a new engine may have other tools.
    /// See [`changed`](McpClient::changed) for a way to wait.
    pub fn changes(&self) -> u64 {
        *self.0.changes.borrow()
    }

    /// Waits until there were more changes than `seen`, and says how many there were.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), picoflow::mcp::McpError> {
    /// use picoflow::mcp::McpServer;
    ///
    /// let client = McpServer::http("http://127.0.0.1:3001/mcp").connect().await?;
    /// let mut seen = client.changes();
    /// loop {
    ///     let tools = client.tools().await?;
    ///     // Build an engine with these tools, and let it take the place of the one before.
    ///     seen = client.changed(seen).await;
    /// }
    /// # }
    /// ```
    pub async fn changed(&self, seen: u64) -> u64 {
        let mut changes = self.0.changes.subscribe();
        // The sender is in `self`, so it is not closed.
        let more = changes.wait_for(|changes| *changes > seen).await;
        more.map_or(seen, |changes| *changes)
    }

    /// Ends the connection, and with it a process of our own. A later call opens it again.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), picoflow::mcp::McpError> {
    /// use picoflow::mcp::McpServer;
    ///
    /// let client = McpServer::http("http://127.0.0.1:3001/mcp").connect().await?;
    /// assert!(!client.tools().await?.is_empty());
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn close(&self) {
        let Some(running) = self.0.running.lock().await.take() else { return };
        match Arc::try_unwrap(running) {
            Ok(running) => drop(running.cancel().await),
            Err(shared) => shared.cancellation_token().cancel(),
        }
    }
}

impl Shared {
    /// The connection, opened if it is not.
    pub(super) async fn running(&self) -> Result<Arc<Running>, McpError> {
        let mut kept = self.running.lock().await;
        if let Some(running) = kept.as_ref()
            && !running.is_transport_closed()
        {
            return Ok(Arc::clone(running));
        }
        let listener = Listener { server: self.server.name.clone(), changes: self.changes.clone() };
        let limit = self.server.connect_timeout;
        let connecting = self.server.way.connect(&self.server.name, listener);
        let timed_out = |_| McpError::ConnectTimeout { server: self.server.name.clone(), limit };
        let running = Arc::new(tokio::time::timeout(limit, connecting).await.map_err(timed_out)??);
        *kept = Some(Arc::clone(&running));
        if self.connected.swap(true, Ordering::Relaxed) {
            crate::__report!(WARN, server = self.server.name, "connected to the MCP server anew");
            self.changes.send_modify(|changes| *changes += 1);
        }
        Ok(running)
    }

    /// Keeps a connection that failed from being used for another call. Those that are on it may end.
    pub(super) async fn forget(&self, failed: &Arc<Running>) {
        self.running.lock().await.take_if(|kept| Arc::ptr_eq(kept, failed));
    }

    /// All tools of the server.
    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Vec<Tool>, McpError> {
        let failed = |reason| McpError::List { server: self.server.name.clone(), reason };
        let at = *self.changes.borrow();
        let limit = self.server.connect_timeout;
        let tools = tokio::time::timeout(limit, peer.list_all_tools())
            .await
            .map_err(|_| failed(format!("no answer within {limit:?}")))?
            .map_err(|error| failed(error.to_string()))?;
        let names = tools.iter().map(|tool| tool.name.clone().into_owned()).collect();
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Listed { at, names };
        Ok(tools)
    }

    /// Whether the server has the tool, as far as one can know without asking after each change.
    pub(super) async fn has(&self, peer: &Peer<RoleClient>, tool: &str) -> Result<bool, McpError> {
        let is_stale = self.listed().at != *self.changes.borrow();
        if is_stale {
            self.list(peer).await?;
        }
        Ok(self.listed().names.contains(tool))
    }

    fn listed(&self) -> std::sync::MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("server", &self.0.server).finish_non_exhaustive()
    }
}

/// Hears what a server says unasked.
pub(super) struct Listener {
    server: String,
    changes: watch::Sender<u64>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let picoflow = Implementation::new("picoflow", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), picoflow)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        crate::__report!(
            WARN,
            server = self.server,
            "the MCP server changed its tools: an engine that is built anew sees them"
        );
        self.changes.send_modify(|changes| *changes += 1);
    }
}
