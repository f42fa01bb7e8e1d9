//! A whole conversation in the terminal: fourteen steps, an embedded SQLite file, and an offline model.
//!
//! ```text
//! cargo run --example basic_flow                            start a conversation
//! cargo run --example basic_flow -- --session ID            go on with one
//! cargo run --example basic_flow -- sessions show ID        print its document
//! cargo run --example basic_flow -- serve                   the same over HTTP
//! cargo run --example basic_flow -- help                    what else there is
//! cargo run --features genai --example basic_flow -- --model gpt-4o-mini
//!                                                           ask a real model, whose key is in the environment
//! ```
#![expect(clippy::print_stderr, reason = "this program talks to a person")]

mod flow;
mod offline;
mod steps;

use clap::Parser;
use flow::BasicFlow;
use offline::OfflineModel;
use picoflow::{SqliteStore, cli::Cli, model::ChatModel, prelude::*};
use std::{error::Error, path::PathBuf, process::ExitCode, sync::Arc};

/// A flow of fourteen steps
#[derive(Parser)]
#[command(name = "basic_flow", version)]
struct Options {
    /// Ask this model: `gpt-4o-mini`, `anthropic/claude-sonnet-4-6`, `ollama/qwen3:4b`, `http://localhost:8080/v1#NAME`.
    /// Without it, a few rules stand in for a model
    #[arg(long, value_name = "NAME", global = true)]
    model: Option<String>,
    /// Begin as the president does
    #[arg(long, global = true)]
    president: bool,
    /// The file that keeps the sessions
    #[arg(long, value_name = "FILE", default_value = "basic_flow.sqlite", global = true)]
    store: PathBuf,
    #[command(flatten)]
    cli: Cli,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let engine = match engine(&options).await {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut cli = options.cli;
    if options.president {
        cli = cli.config(json!({ "isPresident": true }));
    }
    cli.run(engine).await
}

async fn engine(options: &Options) -> Result<Engine, Box<dyn Error>> {
    let (flow, model) = flow_and_model(options.model.as_deref())?;
    let store = SqliteStore::open(&options.store).await?;
    Ok(Engine::builder().flow(flow).model(model).store(store).build().await?)
}

/// A flow and the model that it asks.
fn flow_and_model(name: Option<&str>) -> Result<(BasicFlow, Arc<dyn ChatModel>), Box<dyn Error>> {
    let Some(name) = name else {
        return Ok((BasicFlow::offline(), Arc::new(OfflineModel)));
    };
    #[cfg(feature = "genai")]
    {
        let (model, name) = picoflow::genai::GenaiModel::named(name)?;
        Ok((BasicFlow(name), Arc::new(model)))
    }
    #[cfg(not(feature = "genai"))]
    Err(format!(
        "`--model {name}` needs the feature: cargo run --features genai --example basic_flow"
    )
    .into())
}
