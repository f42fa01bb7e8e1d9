//! Batches: one session for each item.

use super::{Engine, Reply, Turn};
use crate::TurnError;
use futures_util::{Stream, StreamExt, stream};
use std::collections::HashSet;

/// Items that [`Engine::run_batch`] runs, each as the first turn of a session of its own.
///
#[doc = include_str!("../docs/batch.md")]
#[derive(Clone, Debug)]
#[must_use = "a batch does nothing until `Engine::run_batch` takes it"]
pub struct TurnBatch {
    id: String,
    items: Vec<(String, Turn)>,
    concurrency: usize,
}

impl TurnBatch {
    /// A batch of this name, which names its sessions: the item `k` of the batch `b` is the session `b:k`.
    ///
    /// A batch that did not come to its end, or not with all items, is run again under the same name: items that were
    /// answered give the stored reply, with [`Reply::replayed`], and the others run. One whose turn is another than it was ends with
    /// [`TurnError::ReusedToken`]. Two batches that have nothing to do
    /// with each other need two names, as hard to guess as their sessions have to be.
    /// See [`TurnBatch`] for an example.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), items: Vec::new(), concurrency: 8 }
    }

    /// Adds an item. Its key is unique in the batch, and its turn says neither a session nor a token: it has the item's.
    /// See [`TurnBatch`] for an example.
    pub fn item(mut self, key: impl Into<String>, turn: Turn) -> Self {
        self.items.push((key.into(), turn));
        self
    }

    /// How many items run at the same time, at least 1. Default: 8.
    /// See [`TurnBatch`] for an example.
    pub const fn concurrency(mut self, most: usize) -> Self {
        self.concurrency = most;
        self
    }

    fn check(&self) -> Result<(), TurnError> {
        let refuse = |reason| Err(TurnError::InvalidBatch { batch: self.id.clone(), reason });
        if self.concurrency == 0 {
            return refuse("nothing can run at a `TurnBatch::concurrency` of 0".to_owned());
        }
        let mut keys = HashSet::new();
        for (key, turn) in &self.items {
            if !keys.insert(key) {
                return refuse(format!("the key `{key}` is given to two items"));
            }
            if turn.session.is_some() || turn.token.is_some() {
                return refuse(format!(
                    "the turn of item `{key}` has a session or a token already"
                ));
            }
        }
        Ok(())
    }
}

/// One item of a batch that is done.
///
/// See [`TurnBatch`] for an example.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemDone {
    /// The item's key.
    pub key: String,
    /// What its turn came to.
    pub result: Result<Reply, TurnError>,
    /// How many items are done, this one included.
    pub done: usize,
    /// How many there are.
    pub total: usize,
}

impl Engine {
    /// Runs the items of a batch, a bounded number at the same time, and yields each as soon as it is done. One that fails
    /// stops no other. Dropping the stream cancels what runs; what was yielded is stored.
    ///
    /// # Errors
    /// [`TurnError::InvalidBatch`] before anything runs.
    ///
    #[doc = include_str!("../docs/batch.md")]
    pub fn run_batch(
        &self,
        batch: TurnBatch,
    ) -> Result<impl Stream<Item = ItemDone> + Send + use<>, TurnError> {
        batch.check()?;
        let total = batch.items.len();
        let (engine, id) = (self.clone(), batch.id);
        let work = batch.items.into_iter().map(move |(key, turn)| {
            let engine = engine.clone();
            let turn = turn.token(format!("{id}:{key}"));
            async move { (key, engine.run(turn).await) }
        });
        let done = stream::iter(work).buffer_unordered(batch.concurrency).enumerate();
        Ok(done.map(move |(before, (key, result))| ItemDone {
            key,
            result,
            done: before + 1,
            total,
        }))
    }
}
