//! The service on a listener of its own.

use super::{HttpService, problem::Problem};
use axum::http::{StatusCode, Uri};
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

impl HttpService {
    /// Serves HTTP/1.1 until `stop` fires: then nothing more is accepted, what is running ends as if nothing had happened,
    /// and this returns. TLS is for a proxy before it, or for an app of one's own around
    /// [`router`](HttpService::router).
    ///
    /// The head of a request has at most 64 KiB and 100 headers. A client has [`client_timeout`](HttpService::client_timeout) to
    /// send and to read, and a turn [`turn_timeout`](HttpService::turn_timeout), so a stop comes to its end.
    ///
    /// # Errors
    /// When the listener cannot be used.
    ///
    #[doc = include_str!("../docs/server_serve.md")]
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> io::Result<()> {
        let connections = Arc::new(Semaphore::new(self.connections.min(Semaphore::MAX_PERMITS)));
        let patience = self.client_timeout;
        let app = self.router_until(stop.clone(), &["/", "/page"]).fallback(unknown_route);
        let app = TowerToHyperService::new(app);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(HEAD_BYTES);
        let open = GracefulShutdown::new();
        while let Some((stream, permit)) = accept(&listener, &connections, &stop).await? {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(patience));
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
                    tracing::error!("a connection could not be accepted: {error}");
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

async fn unknown_route(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", format!("there is no route `{}`", uri.path()))
}
