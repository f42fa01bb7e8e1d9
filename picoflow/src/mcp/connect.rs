//! Ways to a server, each of which can be gone again.

use super::{
    McpError,
    clean::Clean,
    client::Listener,
    secrets::{Secrets, shown},
};
use crate::{BoxFuture, http};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::{
    RoleClient, ServiceExt,
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use std::{fmt, io, process::Command, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite};

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;
type Open = dyn Fn() -> BoxFuture<'static, io::Result<(Reader, Writer)>> + Send + Sync;

/// How a server is reached.
#[derive(Clone)]
pub(super) enum Way {
    /// A process of our own.
    Process(Arc<dyn Fn() -> Command + Send + Sync>),
    /// An address, with the headers of each request.
    Http { url: Arc<str>, headers: Vec<(String, String)> },
    /// Whatever can be read and written.
    Streams(Arc<Open>),
}

pub(super) type Running = RunningService<RoleClient, Listener>;

impl Way {
    pub(super) fn streams<F, R, W>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::Streams(Arc::new(move || {
            let opening = open();
            Box::pin(async move {
                let (reader, writer) = opening.await?;
                Ok((Box::new(reader) as Reader, Box::new(writer) as Writer))
            })
        }))
    }

    /// Begins a connection.
    pub(super) async fn connect(
        &self,
        server: &str,
        listener: Listener,
    ) -> Result<Running, McpError> {
        let failed = |reason: String| McpError::Connect { server: server.to_owned(), reason };
        let begun = match self {
            Self::Process(command) => {
                let command = tokio::process::Command::from(command());
                let process =
                    TokioChildProcess::new(command).map_err(|error| failed(error.to_string()))?;
                listener.serve(process).await
            }
            Self::Http { url, headers } => {
                let client = http::client()
                    .map_err(|error| failed(error.to_string()))?
                    .default_headers(header_map(server, headers)?)
                    .build()
                    .map_err(|error| failed(error.to_string()))?;
                let client = Clean::new(client, Arc::new(Secrets::of(url, headers)));
                let config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(url))
                    .reinit_on_expired_session(true);
                listener.serve(StreamableHttpClientTransport::with_client(client, config)).await
            }
            Self::Streams(open) => {
                let streams = open().await.map_err(|error| failed(error.to_string()))?;
                listener.serve(streams).await
            }
        };
        begun.map_err(|error| failed(with_sources(&error)))
    }
}

/// An error and what is behind it, which the HTTP client does not say by itself.
pub(super) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        source = error.source();
    }
    text
}

fn header_map(server: &str, headers: &[(String, String)]) -> Result<HeaderMap, McpError> {
    let header = |(name, value): &(String, String)| {
        let wrong = |reason: String| McpError::Header {
            server: server.to_owned(),
            name: name.clone(),
            reason,
        };
        let key: HeaderName = name.parse().map_err(|_| wrong("its name is none".to_owned()))?;
        let mut value: HeaderValue =
            value.parse().map_err(|_| wrong("its value holds what cannot be sent".to_owned()))?;
        value.set_sensitive(true);
        Ok((key, value))
    };
    headers.iter().map(header).collect()
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(_) => f.debug_struct("Process").finish_non_exhaustive(),
            // The headers hold keys, and so may the address.
            Self::Http { url, .. } => {
                f.debug_struct("Http").field("url", &shown(url)).finish_non_exhaustive()
            }
            Self::Streams(_) => f.debug_struct("Streams").finish_non_exhaustive(),
        }
    }
}
