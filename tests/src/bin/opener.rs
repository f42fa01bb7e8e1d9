//! One of the processes that open a new file at once: `opener FILE` says `ready`, waits until its input ends, opens the
//! SQLite file, gets it ready, and looks into it.
#![expect(clippy::print_stdout, reason = "its callers read it")]

use picoflow::{
    BoxError, SqliteStore,
    session::{SessionQuery, SessionStore},
};
use std::io::{Read, stdin};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let file = std::env::args().nth(1).ok_or("usage: opener FILE")?;
    println!("ready");
    stdin().read_to_end(&mut Vec::new())?;
    let store = SqliteStore::open(file).await?;
    store.prepare().await?;
    store.list(&SessionQuery::default()).await?;
    Ok(())
}
