//! A listener's connections, within limits.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

/// The most bytes of a request's head. (hyper answers more than 100 headers with status 431 as well.)
const HEAD_BYTES: usize = 64 << 10;

/// What clients get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The most bytes of a body.
    pub(crate) body_bytes: usize,
    /// The longest that a client may take to send a head or a body, and to read anything of what it is sent.
    pub(crate) client_timeout: Duration,
    /// How many connections there are at once.
    pub(crate) connections: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { body_bytes: 1 << 20, client_timeout: Duration::from_secs(30), connections: 4096 }
    }
}

/// Serves HTTP/1.1 until `stop` fires: then nothing more is accepted, and this returns when what is running has ended.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    patience: Patience,
    stop: CancellationToken,
) -> io::Result<()> {
    let connections = Arc::new(Semaphore::new(patience.connections.min(Semaphore::MAX_PERMITS)));
    let limit = patience.client_timeout;
    let app = TowerToHyperService::new(app);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limit).max_buf_size(HEAD_BYTES);
    let open = GracefulShutdown::new();
    while let Some((stream, permit)) = accept(&listener, &connections, &stop).await? {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limit));
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), app.clone());
        let connection = open.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("a connection broke: {error}");
            }
            drop(permit);
        });
    }
    drop(listener);
    open.shutdown().await;
    Ok(())
}

/// The next connection, if there is room for one; none when the service is to stop.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> io::Result<Option<(TcpStream, OwnedSemaphorePermit)>> {
    let accepted = stop.run_until_cancelled(async {
        let permit = Arc::clone(connections).acquire_owned().await.map_err(io::Error::other)?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    // A reply that is put together in one write has nothing to wait for.
                    drop(stream.set_nodelay(true));
                    return Ok((stream, permit));
                }
                Err(error) if is_of_client(&error) => {}
                Err(error) => {
                    // Such as too many open files: connections that end make room.
                    crate::__report!(ERROR, "a connection could not be accepted: {error}");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    });
    accepted.await.transpose()
}

fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}
