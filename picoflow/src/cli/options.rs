//! What can be written on the command line.

use crate::{session::RunStatus, web::checked_host};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value;
use std::{num::NonZeroUsize, path::PathBuf};

/// What the program is to do.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum Command {
    /// Talk to a flow in the terminal; this is what happens without a command
    Chat(ChatOptions),
    /// Serve the flows over HTTP, until Ctrl-C or SIGTERM
    Serve(ServeOptions),
    /// Print a flow as a picture
    Graph {
        /// The flow; needed if there are several
        #[arg(long, value_name = "NAME")]
        flow: Option<String>,
        /// The language of the picture
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the steps and tools of all flows, and what is likely a mistake in them
    Check {
        /// Fail if there is a warning
        #[arg(long)]
        strict: bool,
    },
    /// Look at the stored sessions
    Sessions {
        #[command(subcommand)]
        command: SessionsCommand,
    },
    /// Hold a recorded conversation again, without its model, and tell what has changed
    Replay {
        /// What `chat --record` wrote
        file: PathBuf,
    },
}

impl Command {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Chat(_) => "chat",
            Self::Serve(_) => "serve",
            Self::Graph { .. } => "graph",
            Self::Check { .. } => "check",
            Self::Sessions { .. } => "sessions",
            Self::Replay { .. } => "replay",
        }
    }
}

/// How to talk.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub(super) struct ChatOptions {
    /// The flow to talk to; needed if there are several
    #[arg(long, value_name = "NAME")]
    pub(super) flow: Option<String>,
    /// Go on with this session
    #[arg(long, value_name = "ID", conflicts_with_all = ["config", "record"])]
    pub(super) session: Option<String>,
    /// What a new session begins with
    #[arg(long, value_name = "JSON", value_parser = json)]
    pub(super) config: Option<Value>,
    /// Write the conversation to this new file, for `replay`
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text)
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub(super) struct ServeOptions {
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    pub(super) address: String,
    /// Serve only those who send the secret that is in this environment variable, as `Authorization: Bearer SECRET`
    #[arg(long, value_name = "VARIABLE")]
    pub(super) secret_from: Option<String>,
    /// Serve whoever can reach the address, without a secret
    #[arg(long, conflicts_with = "secret_from")]
    pub(super) open: bool,
    /// A name that the service is reached by besides this machine's own, such as behind a proxy; may be given several times
    #[arg(long, value_name = "NAME", value_parser = checked_host)]
    pub(super) host: Vec<String>,
    /// For development: show every caller what is inside, such as tool calls, states and whole sessions
    #[arg(long)]
    pub(super) inside: bool,
}

/// A language for pictures.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Format {
    /// For pages that show Mermaid
    #[default]
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

/// What to do with sessions.
#[derive(Clone, Debug, Subcommand)]
pub(super) enum SessionsCommand {
    /// Print which sessions there are, by id
    List {
        /// Only those of this flow
        #[arg(long, value_name = "NAME")]
        flow: Option<String>,
        /// Only those that go on, or only those that have ended
        #[arg(long, value_name = "running|completed")]
        status: Option<RunStatus>,
        /// Only those behind this one: the last of the page before
        #[arg(long, value_name = "ID")]
        after: Option<String>,
        /// How many at the most
        #[arg(long, value_name = "NUMBER", default_value = "100")]
        limit: NonZeroUsize,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the document of a session
    Show {
        /// The session
        id: String,
    },
    /// Remove a session for good
    End {
        /// The session
        id: String,
    },
}
