//! Model calls in a file: recorded once with a real model, replayed in tests without one.
//!
//! The file has one line of JSON for each call, in the order in which they ended: what was asked, what was said bit by bit
//! and when, and the reply or the error. Ids and times of messages are not in it, since they differ from run to run.
//! A line behind the calls of a turn may have what the user said and what came of it.

mod asked;
mod diff;
mod recorder;
mod replay;
mod turn;

pub use recorder::Recorder;
pub use replay::{NotRecorded, Replay};
pub use turn::ReplayError;

use crate::{ModelReply, model::ModelError};
use asked::Asked;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use std::borrow::Cow;

/// Whether a line is one of a turn, and not of a call.
fn is_turn(line: &str) -> serde_json::Result<bool> {
    #[derive(Deserialize)]
    struct Mark {
        turn: Option<IgnoredAny>,
    }

    let mark: Mark = serde_json::from_str(line)?;
    Ok(mark.turn.is_some())
}

/// Refuses a reply with a field that replies do not have. Stored replies are read less strictly.
fn check_reply(line: &str) -> serde_json::Result<()> {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "its names are what is checked")]
    struct Call {
        result: Result<Reply, IgnoredAny>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "its names are what is checked")]
    struct Reply {
        text: Option<IgnoredAny>,
        tool_calls: Option<IgnoredAny>,
        usage: Option<IgnoredAny>,
        reasoning: Option<IgnoredAny>,
    }

    serde_json::from_str::<Call>(line).map(drop)
}

/// A call and what came of it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedCall<'a> {
    asked: Cow<'a, Asked>,
    /// What came before the reply, if it was streamed, and after how many milliseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    said: Vec<(u64, Bit)>,
    /// What came in the end.
    result: Result<ModelReply, ModelError>,
    /// After how many milliseconds.
    took_ms: u64,
}

/// A bit of a reply.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Bit {
    Text(String),
    Reasoning(String),
}
