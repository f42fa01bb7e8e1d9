//! A service of its own process, to be killed or stopped: `serving FILE` keeps its sessions in this SQLite file, says
//! `at ADDRESS`, and serves until SIGTERM, which lets running turns end.
#![expect(clippy::print_stdout, reason = "its callers read it")]

use picoflow::{BoxError, Engine, SqliteStore, server::HttpService};
use picoflow_tests::desk::{DeskFlow, DeskModel};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let file = std::env::args().nth(1).ok_or("usage: serving FILE")?;
    let store = SqliteStore::open(file).await?;
    let builder = Engine::builder().flow(DeskFlow).model(DeskModel::default()).store(store);
    let engine = builder.build().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut ends = signal(SignalKind::terminate())?;
    println!("at {}", listener.local_addr()?);
    let stop = CancellationToken::new();
    let serving = tokio::spawn(HttpService::new(&engine).serve(listener, stop.clone()));
    ends.recv().await;
    stop.cancel();
    Ok(serving.await??)
}
