//! A command line for a program with flows: talk to them in the terminal, serve them, look at them and at their sessions.
//!
#![doc = include_str!("docs/cli.md")]

mod chat;
mod input;
mod look;
mod options;
mod replay;
mod screen;
mod serve;
mod sessions;
mod signals;
mod table;
mod words;

/// The version of clap whose parsers take a [`Cli`].
#[doc(no_inline)]
pub use clap;

use crate::{BoxError, Engine};
use clap::{CommandFactory, FromArgMatches, Parser};
use options::{ChatOptions, Command};
use serde_json::Value;
use std::{
    io::{self, Write, stderr},
    process::ExitCode,
};
use words::{program, words};

/// What a command comes to.
type Ended = Result<ExitCode, BoxError>;

/// The exit code of a command line that cannot be understood, as clap has it.
const USAGE: u8 = 2;

/// Does what the command line says, with the flows of this engine. See the [module](self) for the commands.
///
/// A program with options of its own, such as which store to open, parses a [`Cli`] beside them.
///
/// # Panics
/// Without a tokio runtime that has timers and I/O, such as `#[tokio::main]` gives.
///
/// ```no_run
/// # use picoflow::{model::*, prelude::*, BoxFuture};
/// # struct Ask;
/// # impl Step for Ask { const ID: StepId = StepId::new("Ask"); }
/// # struct Echo;
/// # impl ChatModel for Echo {
/// #     fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
/// #         Box::pin(async move { Ok(ModelReply::text(&request.latest().unwrap().content)) })
/// #     }
/// # }
/// # struct EchoFlow;
/// # impl Flow for EchoFlow {
/// #     const ID: FlowId = FlowId::new("EchoFlow");
/// #     fn model(&self) -> ModelRef { ModelRef::new("none", "echo") }
/// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
/// # }
/// use std::process::ExitCode;
///
/// #[tokio::main]
/// async fn main() -> ExitCode {
///     match Engine::builder().flow(EchoFlow).model(Echo).build().await {
///         Ok(engine) => picoflow::cli::main(engine).await,
///         Err(error) => {
///             eprintln!("error: {error}");
///             ExitCode::FAILURE
///         }
///     }
/// }
/// ```
pub async fn main(engine: Engine) -> ExitCode {
    /// Talk to the flows of this program, serve them, and look at their sessions
    #[derive(Parser)]
    #[command(version = concat!("(picoflow ", env!("CARGO_PKG_VERSION"), ")"))]
    struct Alone {
        #[command(flatten)]
        cli: Cli,
    }

    let matches = Alone::command().display_name(program()).get_matches();
    match Alone::from_arg_matches(&matches) {
        Ok(alone) => alone.cli.run(engine).await,
        Err(error) => error.exit(),
    }
}

/// The commands and the options of `chat`, as a part of a program's own options.
///
#[doc = include_str!("docs/cli_flatten.md")]
#[derive(Clone, Debug, clap::Args)]
#[must_use = "the command line does nothing until it is run"]
pub struct Cli {
    #[command(flatten)]
    chat: ChatOptions,
    #[command(subcommand)]
    command: Option<Command>,
    #[arg(skip)]
    config: Option<Value>,
}

impl Cli {
    /// What `chat` begins new sessions with when it is not told by `--config`: see [`Turn::config`](crate::Turn::config).
    /// See [`Cli`] for an example.
    pub fn config(mut self, config: impl Into<Value>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// Does what the command line says. What fails is told on standard error, and the exit code is 1; it is 2 for
    /// options that do not go together.
    /// See [`Cli`] for an example.
    ///
    /// # Panics
    /// Without a tokio runtime that has timers and I/O, such as `#[tokio::main]` gives.
    pub async fn run(self, engine: Engine) -> ExitCode {
        self.command(engine).await.unwrap_or_else(|error| {
            if is_unheard(&error) {
                return ExitCode::SUCCESS;
            }
            tell(format_args!("error: {}", words(&*error)));
            ExitCode::FAILURE
        })
    }

    async fn command(self, engine: Engine) -> Ended {
        let chat = match self.command {
            Some(command) if self.chat != ChatOptions::default() => {
                let name = command.name();
                tell(format_args!("error: the options of `chat` do not go before `{name}`"));
                return Ok(ExitCode::from(USAGE));
            }
            None => self.chat,
            Some(Command::Chat(chat)) => chat,
            Some(Command::Serve(options)) => return serve::serve(&engine, options).await,
            Some(Command::Graph { flow, format }) => {
                return look::graph(&engine, flow.as_deref(), format);
            }
            Some(Command::Check { strict }) => return look::check(&engine, strict),
            Some(Command::Sessions { command }) => {
                return sessions::sessions(&engine, command).await;
            }
            Some(Command::Replay { file }) => return replay::replay(&engine, &file).await,
        };
        chat::chat(engine, chat, self.config).await
    }
}

/// Whether nobody reads any more what the program prints, such as behind `| head`.
fn is_unheard(error: &BoxError) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Tells a person what is not a part of what was asked for. If nobody listens, nobody misses it.
fn tell(text: impl std::fmt::Display) {
    drop(writeln!(stderr(), "{}", screen::shown(&text.to_string())));
}
