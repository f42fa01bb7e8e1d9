//! The virtual object that a batch is.

use super::object::TurnRequest;
use crate::Reply;
use restate_sdk::{context::RequestTarget, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Where the progress is among the object's state.
const PROGRESS: &str = "progress";

/// Items that are run as the first turn of a session each: the item `k` of the batch `b` is the session `b:k`.
///
/// ```
/// use picoflow::restate::{BatchRequest, TurnRequest};
///
/// let turn = |text| TurnRequest::new("BasicFlow").message(text);
/// let batch = BatchRequest::new().item("a", turn("Hi")).item("b", turn("Ho")).concurrency(2);
/// assert_eq!(batch.items.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BatchRequest {
    /// The items.
    pub items: Vec<BatchItem>,
    /// How many run at the same time, at least 1. Default: 8.
    #[serde(default = "eight")]
    pub concurrency: usize,
}

const fn eight() -> usize {
    8
}

/// One item of a [`BatchRequest`].
///
/// See [`BatchRequest`] for an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BatchItem {
    /// Its key, unique in the batch.
    pub key: String,
    /// Its turn.
    #[serde(flatten)]
    pub turn: TurnRequest,
}

impl BatchRequest {
    /// A batch of nothing.
    /// See [`BatchRequest`] for an example.
    pub const fn new() -> Self {
        Self { items: Vec::new(), concurrency: eight() }
    }

    /// Adds an item.
    /// See [`BatchRequest`] for an example.
    #[must_use]
    pub fn item(mut self, key: impl Into<String>, turn: TurnRequest) -> Self {
        self.items.push(BatchItem { key: key.into(), turn });
        self
    }

    /// How many items run at the same time, at least 1.
    /// See [`BatchRequest`] for an example.
    #[must_use]
    pub const fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = most;
        self
    }

    fn check(&self) -> Result<(), TerminalError> {
        let refuse = |reason: String| {
            Err(TerminalError::new_with_code(400, format!("BATCH_INVALID: {reason}")))
        };
        if self.concurrency == 0 {
            return refuse("nothing can run at a concurrency of 0".to_owned());
        }
        let mut keys = BTreeSet::new();
        let twice = self.items.iter().find(|item| !keys.insert(&item.key));
        twice.map_or(Ok(()), |item| refuse(format!("the key `{}` is given to two items", item.key)))
    }
}

impl Default for BatchRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// What a batch came to.
///
/// ```
/// use picoflow::restate::BatchReply;
///
/// let reply: BatchReply = serde_json::from_str(
///     r#"{"items":{"a":{"error":{"status":404,"message":"FLOW_UNKNOWN: ..."}}}}"#,
/// )?;
/// assert!(reply.items["a"].reply().is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BatchReply {
    /// What each item came to, by its key.
    pub items: BTreeMap<String, ItemReply>,
}

/// What an item came to.
///
/// See [`BatchReply`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ItemReply {
    /// Its turn was answered.
    Reply(Box<Reply>),
    /// Its turn failed.
    Error {
        /// The status, as of HTTP.
        status: u16,
        /// The code of the [`TurnError`](crate::TurnError), and its text.
        message: String,
    },
}

impl ItemReply {
    /// The reply, if there is one.
    /// See [`BatchReply`] for an example.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Error { .. } => None,
        }
    }
}

/// How far a batch is.
///
/// ```
/// use picoflow::restate::BatchProgress;
///
/// let progress: BatchProgress = serde_json::from_str(r#"{"done":3,"failed":1,"total":10}"#)?;
/// assert!(progress.done < progress.total);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct BatchProgress {
    /// How many items are done, failed ones included.
    pub done: usize,
    /// How many of them failed.
    pub failed: usize,
    /// How many there are.
    pub total: usize,
}

pub(super) struct Batches;

#[object(name = "Batch")]
impl Batches {
    #[handler]
    async fn run(
        &self,
        ctx: ObjectContext<'_>,
        request: Json<BatchRequest>,
    ) -> HandlerResult<Json<BatchReply>> {
        let request = request.into_inner();
        request.check()?;
        let mut progress = BatchProgress { total: request.items.len(), ..BatchProgress::default() };
        ctx.set(PROGRESS, Json::from(progress));
        let mut reply = BatchReply::default();
        let mut keys = Vec::new();
        let mut waiting = request.items.into_iter();
        let mut running = DurableFuturesUnordered::new();
        loop {
            let room = request.concurrency - running.len();
            for BatchItem { key, turn } in waiting.by_ref().take(room) {
                let session = format!("{}:{key}", ctx.key());
                let target = RequestTarget::object("Session", session, "start");
                keys.push(key);
                let call = ctx.request::<Json<TurnRequest>, Json<Reply>>(target, Json::from(turn));
                running.push(call.call());
            }
            let Some((index, result)) = running.next().await? else {
                return Ok(Json::from(reply));
            };
            let result = match result {
                Ok(reply) => ItemReply::Reply(Box::new(reply.into_inner())),
                Err(error) => {
                    progress.failed += 1;
                    ItemReply::Error { status: error.code(), message: error.message().to_owned() }
                }
            };
            progress.done += 1;
            ctx.set(PROGRESS, Json::from(progress));
            if let Some(key) = keys.get(index) {
                reply.items.insert(key.clone(), result);
            }
        }
    }

    #[handler]
    async fn progress(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> HandlerResult<Json<Option<BatchProgress>>> {
        let progress = ctx.get::<Json<BatchProgress>>(PROGRESS).await?;
        Ok(Json::from(progress.map(Json::into_inner)))
    }
}
