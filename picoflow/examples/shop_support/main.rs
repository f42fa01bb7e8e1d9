//! The support of a shop: who is it, returns with an approval above a limit, bills, and the end. Sessions and refunds are in one
//! SQLite file, or in one PostgreSQL database.
//!
//! ```text
//! cargo run --example shop_support                          talk to it, as ann@example.com 97201
//! cargo run --example shop_support -- --approve W101        as her supervisor, in another terminal
//! cargo run --example shop_support -- serve                 the same over HTTP, with a page
//! cargo run --features postgres --example shop_support -- --store postgres://localhost/shop
//! cargo run --features genai --example shop_support -- --model gpt-4o-mini
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to a person")]

mod catalog;
mod flow;
mod ledger;
mod offline;

use clap::Parser;
use flow::{Backend, ShopSupport};
use ledger::SqliteLedger;
use offline::OfflineModel;
use picoflow::{
    BoxError, SqliteStore, cli::Cli, model::ChatModel, prelude::*, session::SessionStore,
};
use std::{path::Path, process::ExitCode, sync::Arc};

/// The support of a shop
#[derive(Parser)]
#[command(name = "shop_support", version)]
struct Options {
    /// Ask this model, such as `gpt-4o-mini`. Without it, a few rules stand in for a model
    #[arg(long, value_name = "NAME", global = true)]
    model: Option<String>,
    /// Where sessions and refunds are: a file, or the URL of a PostgreSQL database
    #[arg(long, value_name = "FILE|URL", default_value = "shop_support.sqlite", global = true)]
    store: String,
    /// Approve the return of an order, as a supervisor
    #[arg(long, value_name = "ORDER", conflicts_with = "decline")]
    approve: Option<String>,
    /// Decline the return of an order, as a supervisor
    #[arg(long, value_name = "ORDER")]
    decline: Option<String>,
    #[command(flatten)]
    cli: Cli,
}

#[tokio::main]
async fn main() -> ExitCode {
    run(Options::parse()).await.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

async fn run(options: Options) -> Result<ExitCode, BoxError> {
    let (ledger, store) = open(&options.store).await?;
    let decision = match (options.approve, options.decline) {
        (Some(order), _) => Some((order, true)),
        (None, Some(order)) => Some((order, false)),
        (None, None) => None,
    };
    if let Some((order, is_approved)) = decision {
        if !ledger.decide(&order, is_approved).await? {
            return Err(format!("order `{order}` waits for no decision").into());
        }
        println!("{order} is {}", if is_approved { "approved" } else { "declined" });
        return Ok(ExitCode::SUCCESS);
    }
    let (model, asked) = model(options.model.as_deref())?;
    let flow = ShopSupport { model: asked, ledger };
    let engine = Engine::builder().flow(flow).model(model).store(store).build().await?;
    Ok(options.cli.run(engine).await)
}

/// Where refunds and sessions are.
async fn open(store: &str) -> Result<(Backend, Arc<dyn SessionStore>), BoxError> {
    if !store.starts_with("postgres://") {
        // It makes the file, which nobody but its owner can read.
        let sessions = SqliteStore::open(store).await?;
        let ledger = SqliteLedger::open(Path::new(store))?;
        return Ok((Arc::new(ledger), Arc::new(sessions)));
    }
    #[cfg(feature = "postgres")]
    {
        let ledger = ledger::PostgresLedger::connect(store).await?;
        Ok((Arc::new(ledger), Arc::new(picoflow::PostgresStore::connect(store).await?)))
    }
    #[cfg(not(feature = "postgres"))]
    Err("a PostgreSQL database needs the feature: cargo run --features postgres --example shop_support".into())
}

/// A model and its name.
fn model(name: Option<&str>) -> Result<(Arc<dyn ChatModel>, ModelRef), BoxError> {
    let Some(name) = name else {
        return Ok((Arc::new(OfflineModel), ModelRef::new("offline", "rules")));
    };
    #[cfg(feature = "genai")]
    {
        let (model, name) = picoflow::genai::GenaiModel::named(name)?;
        Ok((Arc::new(model), name))
    }
    #[cfg(not(feature = "genai"))]
    Err(format!(
        "`--model {name}` needs the feature: cargo run --features genai --example shop_support"
    )
    .into())
}
