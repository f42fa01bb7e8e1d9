//! The page of the HTTP service: how it is served, and what it does in a browser, which `scripts/browser` installs.

mod browser;
mod files;
mod talk;

use picoflow::{Engine, server::HttpService};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A service on a listener of its own, for as long as this is held.
struct Served {
    address: SocketAddr,
    _stop: DropGuard,
}

impl Served {
    async fn new(service: HttpService) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let serving = service.serve(listener, stop.clone());
        drop(tokio::spawn(async { serving.await.unwrap() }));
        Self { address, _stop: stop.drop_guard() }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// The engine of the example `basic_flow`.
async fn basic_flow() -> Engine {
    let builder = Engine::builder().flow(crate::flow::BasicFlow::offline());
    builder.model(crate::offline::OfflineModel).build().await.unwrap()
}
