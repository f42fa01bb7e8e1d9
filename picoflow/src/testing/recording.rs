//! Model calls in a file: recorded once with a real model, replayed in tests without one.
//!
//! The file has one line of JSON for each call, in the order in which they ended: what was asked, what was said bit by bit
//! and when, and the reply or the error. Ids and times of messages are not in it, since they differ from run to run.

mod asked;
mod diff;
mod recorder;
mod replay;

pub use recorder::Recorder;
pub use replay::{NotRecorded, Replay};

use crate::{ModelReply, model::ModelError};
use asked::Asked;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One line of the file.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
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
