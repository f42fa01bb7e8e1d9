//! A server on loopback that answers with given bytes, in pieces of a given size, and keeps what it was asked.

use serde_json::Value;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What it answers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    content_type: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Bytes in one chunk; 0: all at once.
    chunk: usize,
    /// Whether the line is cut after the body, before its end was said.
    is_cut: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            content_type: content_type.to_owned(),
            headers: Vec::new(),
            body: body.into(),
            chunk: 0,
            is_cut: false,
        }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::new(200, "application/json", body.to_string())
    }

    pub(crate) fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    pub(crate) fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn in_chunks_of(mut self, bytes: usize) -> Self {
        self.chunk = bytes;
        self
    }

    /// Ends the connection where the body ends.
    pub(crate) fn cut(mut self) -> Self {
        self.is_cut = true;
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = format!(
            "HTTP/1.1 {} .\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n",
            self.status, self.content_type
        );
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        let size = if self.chunk == 0 { self.body.len().max(1) } else { self.chunk };
        for chunk in self.body.chunks(size) {
            bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
            bytes.extend(chunk);
            bytes.extend(b"\r\n");
        }
        if !self.is_cut {
            bytes.extend(b"0\r\n\r\n");
        }
        bytes
    }
}

/// What it was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The request line and the headers.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// The server; it ends with the test.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Gives the answers one after the other, the last one again and again.
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answers: Vec<_> = answers.into_iter().collect();
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut count = 0;
            while let Ok((mut line, _)) = listener.accept().await {
                let answer = answers.get(count).or_else(|| answers.last()).unwrap().bytes();
                count += 1;
                let seen = Arc::clone(&seen);
                tokio::spawn(async move {
                    if let Some(asked) = read(&mut line).await {
                        seen.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
                        drop(line.write_all(&answer).await);
                        drop(line.shutdown().await);
                    }
                });
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The last thing that it was asked; what came before is forgotten.
    pub(crate) fn last(&self) -> Asked {
        let mut asked = self.asked.lock().unwrap();
        let last = asked.pop().unwrap();
        asked.clear();
        last
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads one request with its body.
async fn read(line: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if line.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let lower = head.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length?.trim().parse().ok()?;
    while body.len() < length + 4 {
        if line.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { head, body: serde_json::from_slice(body.get(4..)?).ok()? })
}
