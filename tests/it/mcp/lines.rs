//! Peers that speak the protocol line by line, so that they can do what a proper one would not.

use crate::support::found;
use picoflow::mcp::{McpServer, McpService};
use serde_json::{Value, json};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

/// One end of a connection.
pub(super) struct Lines {
    reader: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Lines {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: BufReader::new(reader).lines(), writer }
    }

    /// A client of the service that has begun already.
    pub(super) async fn to(service: McpService) -> Self {
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        tokio::spawn(service.serve(reader, writer));
        let mut lines = Self::new(ours);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "lines", "version": "1" },
        });
        lines.ask(0, "initialize", hello).await;
        lines.hear().await.unwrap();
        lines.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        lines
    }

    pub(super) async fn ask(&mut self, id: u64, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    pub(super) async fn say(&mut self, message: &Value) {
        // The other end may be gone: what follows from that is what is tested.
        drop(self.writer.write_all(format!("{message}\n").as_bytes()).await);
    }

    pub(super) async fn hear(&mut self) -> Option<Value> {
        let line = self.reader.next_line().await.ok().flatten()?;
        Some(serde_json::from_str(&line).unwrap())
    }
}

/// What a faked server does about a request.
pub(super) enum Does {
    /// Answers.
    Answer(Value),
    /// Answers, and leaves.
    AnswerAndLeave(Value),
    /// Answers with an error of the protocol.
    Fail(i64, &'static str),
    /// Says that its tools changed, and then answers.
    Change(Value),
    /// Says nothing.
    Nothing,
    /// Leaves.
    Leave,
}

impl Does {
    /// Lists tools without arguments.
    pub(super) fn list(names: &[&str]) -> Self {
        let tool = |name: &&str| json!({ "name": name, "inputSchema": { "type": "object" } });
        Self::Answer(json!({ "tools": names.iter().map(tool).collect::<Vec<_>>() }))
    }

    /// The result of a call.
    pub(super) fn text(text: &str) -> Self {
        Self::Answer(said(text))
    }
}

/// The result of a call.
pub(super) fn said(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// A server that does as it is told.
pub(super) struct Fake {
    pub(super) server: McpServer,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// `does` is asked with the number of the connection, from 1, the method and the parameters.
    pub(super) fn new(does: impl Fn(usize, &str, &Value) -> Does + Send + Sync + 'static) -> Self {
        let (does, heard) = (Arc::new(does), Arc::<Mutex<Vec<String>>>::default());
        let (connections, log) = (AtomicUsize::default(), Arc::clone(&heard));
        let server = McpServer::streams(move || {
            let at = connections.fetch_add(1, Ordering::Relaxed) + 1;
            let (ours, theirs) = duplex(64 * 1024);
            let (does, log) = (Arc::clone(&does), Arc::clone(&log));
            tokio::spawn(async move {
                tell(at, Lines::new(theirs), does, Arc::clone(&log)).await;
                log.lock().unwrap().push("left".to_owned());
            });
            async { Ok::<_, io::Error>(split(ours)) }
        });
        Self { server: server.name("fake"), heard }
    }

    /// How often it was asked for this, or `left`.
    pub(super) fn heard(&self, method: &str) -> usize {
        self.heard.lock().unwrap().iter().filter(|heard| *heard == method).count()
    }

    /// Waits until it was asked for this.
    pub(super) async fn hears(&self, method: &str) {
        found(method, async || (self.heard(method) > 0).then_some(())).await;
    }
}

async fn tell(
    at: usize,
    mut lines: Lines,
    does: Arc<impl Fn(usize, &str, &Value) -> Does>,
    log: Arc<Mutex<Vec<String>>>,
) {
    while let Some(asked) = lines.hear().await {
        let method = asked["method"].as_str().unwrap_or_default();
        log.lock().unwrap().push(method.to_owned());
        if asked.get("id").is_none() {
            continue;
        }
        let done = match method {
            "initialize" => Does::Answer(json!({
                "protocolVersion": asked["params"]["protocolVersion"],
                "capabilities": { "tools": { "listChanged": true } },
                "serverInfo": { "name": "fake", "version": "1" },
            })),
            _ => does(at, method, &asked["params"]),
        };
        let answer =
            |result: &Value| json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
        match done {
            Does::Answer(result) => lines.say(&answer(&result)).await,
            Does::AnswerAndLeave(result) => return lines.say(&answer(&result)).await,
            Does::Change(result) => {
                let changed = "notifications/tools/list_changed";
                lines.say(&json!({ "jsonrpc": "2.0", "method": changed })).await;
                lines.say(&answer(&result)).await;
            }
            Does::Fail(code, message) => {
                let error = json!({ "code": code, "message": message });
                lines.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
            }
            Does::Nothing => {}
            Does::Leave => return,
        }
    }
}
