//! The service on a listener of its own.

use super::{Access, HttpService, document};
use crate::web::{Reach, serve};
use std::io;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

impl HttpService {
    /// Serves HTTP/1.1 until `stop` fires: then nothing more is accepted, what is running ends as if nothing had happened,
    /// and this returns. TLS is for a proxy before it, or for an app of one's own around
    /// [`router`](HttpService::router).
    ///
    /// The head of a request has at most 64 KiB and 100 headers. A client has [`client_timeout`](HttpService::client_timeout) to
    /// send and to read, and a turn [`turn_timeout`](HttpService::turn_timeout), so a stop comes to its end.
    ///
    /// # Errors
    /// When the listener cannot be used, or the settings name a host or an origin that cannot be one.
    ///
    #[doc = include_str!("../docs/server_serve.md")]
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> io::Result<()> {
        let asks_who_calls = !matches!(self.access, Access::Open);
        let reach = Reach::on(listener.local_addr()?, asks_who_calls);
        let (rule, wrong) = self.names.rule(reach);
        if let Some(wrong) = wrong.into_iter().next() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, wrong));
        }
        let patience = self.patience;
        let (api, page) = self.api(stop.clone(), &["/", "/page"]);
        serve(listener, document::app(api, page, rule), patience, stop).await
    }
}
