//! What a turn costs, counted while it runs.

use crate::model::{ModelError, ModelReply, Usage};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a turn has cost so far, for whoever pays also for turns that end without a [`Reply`](crate::Reply). Clones count
/// together.
///
#[doc = include_str!("../docs/spent.md")]
#[derive(Clone, Default)]
pub struct Spent(Arc<Mutex<Count>>);

#[derive(Clone, Copy, Default)]
struct Count {
    usage: Usage,
    calls: u32,
}

impl Spent {
    /// The tokens that the models have reported.
    pub fn usage(&self) -> Usage {
        self.count().usage
    }

    /// How often a model was called, attempts that failed included. What a journal knew was not called.
    pub fn model_calls(&self) -> u32 {
        self.count().calls
    }

    pub(crate) fn asked(&self) {
        let mut count = self.count();
        count.calls = count.calls.saturating_add(1);
    }

    pub(crate) fn answered(&self, result: &Result<ModelReply, ModelError>) {
        match result {
            Ok(reply) => self.count().usage.add(&reply.usage),
            Err(ModelError::Blocked(block)) => self.count().usage.add(&block.usage),
            Err(_) => {}
        }
    }

    // Nothing that holds the lock can leave the count half changed.
    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { usage, calls } = *self.count();
        f.debug_struct("Spent").field("usage", &usage).field("model_calls", &calls).finish()
    }
}
