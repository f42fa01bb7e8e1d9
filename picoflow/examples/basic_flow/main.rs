//! A whole conversation in the terminal: fourteen steps, an embedded SQLite file, and an offline model.
//!
//! ```text
//! cargo run --example basic_flow                   start a conversation
//! cargo run --example basic_flow -- --session ID   go on with one
//! cargo run --example basic_flow -- --show ID      print its document
//! cargo run --features genai --example basic_flow -- --model gpt-4o-mini
//!                                                  ask a real model, whose key is in the environment
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to a person")]

mod flow;
mod offline;
mod steps;

use clap::Parser;
use flow::BasicFlow;
use offline::OfflineModel;
use picoflow::{Reply, SqliteStore, TurnError, TurnEvent, model::ChatModel, prelude::*};
use std::{
    error::Error,
    io::{BufRead, IsTerminal, Write, stdin, stdout},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// Chat with a flow of fourteen steps
#[derive(Parser)]
struct Options {
    /// Go on with this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the document of this session and end
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// Ask this model: `gpt-4o-mini`, `anthropic/claude-sonnet-4-6`, `ollama/qwen3:4b`, `http://localhost:8080/v1#NAME`.
    /// Without it, a few rules stand in for a model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Begin as the president does
    #[arg(long)]
    president: bool,
    /// The file that keeps the sessions
    #[arg(long, value_name = "FILE", default_value = "basic_flow.sqlite")]
    store: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let (flow, model) = flow_and_model(options.model.as_deref())?;
    let engine = Engine::builder()
        .flow(flow)
        .model(model)
        .store(SqliteStore::open(&options.store).await?)
        .build()
        .await?;
    match &options.show {
        Some(id) => show(&engine, id).await,
        None => chat(&engine, &options).await,
    }
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

async fn show(engine: &Engine, id: &str) -> Result<(), Box<dyn Error>> {
    let session = engine.session(id).await?;
    let session = session.ok_or_else(|| format!("there is no session `{id}`"))?;
    println!("{}", serde_json::to_string_pretty(&session)?);
    Ok(())
}

async fn chat(engine: &Engine, options: &Options) -> Result<(), Box<dyn Error>> {
    let mut session = options.session.clone();
    println!(
        "Say something, such as Hi. An empty line or Ctrl-D ends the program; the session stays."
    );
    while let Some(line) = read_line()? {
        let Ok(text) = String::from_utf8(line) else {
            println!("That line is not valid UTF-8, so it was not sent.");
            continue;
        };
        let mut turn = Turn::new(BasicFlow::ID).message(text);
        turn = match &session {
            Some(id) => turn.session(id),
            None if options.president => turn.config(json!({ "isPresident": true })),
            None => turn,
        };
        match engine.run(turn).await {
            Ok(reply) => {
                print_reply(&reply);
                if reply.completed {
                    return Ok(());
                }
                session = Some(reply.session);
            }
            // What is wrong with the session stays wrong; anything else may be said again.
            Err(error @ (TurnError::UnknownSession { .. } | TurnError::EndedSession { .. })) => {
                return Err(error.into());
            }
            Err(error) => println!("{}: {error}", error.code()),
        }
    }
    if let Some(id) = session {
        println!("\nGo on with: cargo run --example basic_flow -- --session {id}");
    }
    Ok(())
}

/// The next line as it was typed; nothing at the end of the input or at an empty line.
fn read_line() -> std::io::Result<Option<Vec<u8>>> {
    if stdin().is_terminal() {
        print!("> ");
        stdout().flush()?;
    }
    let mut line = Vec::new();
    stdin().lock().read_until(b'\n', &mut line)?;
    while line.last().is_some_and(u8::is_ascii_whitespace) {
        line.pop();
    }
    Ok((!line.is_empty()).then_some(line))
}

fn print_reply(reply: &Reply) {
    for event in &reply.events {
        if let TurnEvent::Said { text } = event {
            println!("{text}");
        }
    }
    println!("{}", reply.text);
    let mut details = vec![reply.step.to_string()];
    let tools: Vec<_> = reply.tools().collect();
    if !tools.is_empty() {
        details.push(format!("tools: {}", tools.join(", ")));
    }
    details.extend(reply.warnings().map(|warning| format!("warning: {warning}")));
    details.push(format!("session: {}", reply.session));
    let line = details.join(" | ");
    if stdout().is_terminal() {
        println!("\x1b[2m{line}\x1b[0m\n");
    } else {
        println!("[{line}]\n");
    }
}
