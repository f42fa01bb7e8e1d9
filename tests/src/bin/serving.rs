//! A service of its own process, to be killed or stopped: `serving FILE [SECRET]` keeps its sessions in this SQLite file,
//! says `at ADDRESS`, and serves until SIGTERM, which lets running turns end. It says `waiting COUNT` when another number of
//! turns waits than before; SIGUSR1 lets all of them go on.
#![expect(clippy::print_stdout, reason = "its callers read it")]

use picoflow::{BoxError, Engine, SqliteStore, server::HttpService};
use picoflow_tests::desk::{DeskFlow, DeskModel};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: serving FILE [SECRET]")?;
    let store = SqliteStore::open(file).await?;
    let model = DeskModel::default();
    let builder = Engine::builder().flow(DeskFlow).model(model.clone()).store(store);
    let engine = builder.build().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut ends = signal(SignalKind::terminate())?;
    let mut opens = signal(SignalKind::user_defined1())?;
    let mut waiting = model.waiting();
    println!("at {}", listener.local_addr()?);
    let stop = CancellationToken::new();
    let service = HttpService::new(&engine);
    let service = match args.next() {
        Some(secret) => service.bearer(secret),
        None => service,
    };
    let mut serving = tokio::spawn(service.serve(listener, stop.clone()));
    loop {
        tokio::select! {
            served = &mut serving => return Ok(served??),
            _ = ends.recv() => stop.cancel(),
            _ = opens.recv() => model.open(Semaphore::MAX_PERMITS / 2),
            Ok(()) = waiting.changed() => println!("waiting {}", *waiting.borrow_and_update()),
        }
    }
}
