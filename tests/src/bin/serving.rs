//! A service of its own process, to be killed or stopped: `serving FILE [SECRET]` keeps its sessions in this SQLite file,
//! says `at ADDRESS`, and serves until SIGTERM, which lets running turns end.
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
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: serving FILE [SECRET]")?;
    let store = SqliteStore::open(file).await?;
    let builder = Engine::builder().flow(DeskFlow).model(DeskModel::default()).store(store);
    let engine = builder.build().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut ends = signal(SignalKind::terminate())?;
    println!("at {}", listener.local_addr()?);
    let stop = CancellationToken::new();
    let service = HttpService::new(&engine);
    let service = match args.next() {
        Some(secret) => service.bearer(secret),
        None => service,
    };
    let serving = tokio::spawn(service.serve(listener, stop.clone()));
    ends.recv().await;
    stop.cancel();
    Ok(serving.await??)
}
