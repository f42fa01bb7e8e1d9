//! The journal of a turn, kept in Restate's journal of an invocation.
//!
//! Restate's journal is a list: what is asked for again has to come in the same order, and nothing can be asked for inside
//! of a step. Calls of a turn run at the same time and inside of one another. So each step of Restate's is a *slot*: it
//! takes the name and the outcome of whichever call ends next. An attempt begins by reading the slots that are filled,
//! and the first one that is not is what tells it that it may start.

use crate::{BoxError, BoxFuture, Host, Journal};
use futures_util::future::{Either, pending, select};
use restate_sdk::prelude::{ContextSideEffects, Json, ObjectContext, RunFuture, TerminalError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{collections::BTreeMap, mem, pin::pin, sync::Arc};
use tokio::sync::{mpsc, oneshot};

/// What a call came to. The last slot has no key, and holds what the turn came to.
#[derive(Serialize, Deserialize)]
struct Slot {
    key: Option<String>,
    outcome: Box<RawValue>,
}

/// A slot that is to be kept, and who waits for that.
struct Filled {
    slot: Slot,
    kept: oneshot::Sender<()>,
}

/// The host of one attempt at a turn.
#[derive(Clone)]
pub(super) struct Attempt {
    /// What earlier attempts came to.
    known: Arc<BTreeMap<String, String>>,
    filled: mpsc::UnboundedSender<Filled>,
}

impl Attempt {
    async fn keep(&self, key: Option<String>, outcome: String) -> Result<(), BoxError> {
        let slot = Slot { key, outcome: RawValue::from_string(outcome)? };
        let (kept, is_kept) = oneshot::channel();
        self.filled.send(Filled { slot, kept })?;
        Ok(is_kept.await?)
    }
}

impl Journal for Attempt {
    fn recall(&self, key: &str) -> Option<String> {
        self.known.get(key).cloned()
    }

    fn record(&self, key: String, outcome: String) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(self.keep(Some(key), outcome))
    }
}

// Times and random numbers differ from attempt to attempt, which is harmless: calls go by their names, and the document of
// the attempt that ends is the one that counts.
impl Host for Attempt {
    fn journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }
}

/// Runs `work` once, in as many attempts as it takes. What it returns is kept as JSON text.
///
/// # Errors
/// When the invocation was cancelled, or a slot cannot be read.
pub(super) async fn once<F>(
    ctx: &ObjectContext<'_>,
    work: impl FnOnce(Attempt) -> F + Send,
) -> Result<Box<RawValue>, TerminalError>
where
    F: Future<Output = String> + Send,
{
    let (begin, begun) = oneshot::channel();
    let (filled, mut to_fill) = mpsc::unbounded_channel();
    let attempt = async {
        let Ok(known) = begun.await else {
            return pending().await;
        };
        let attempt = Attempt { known: Arc::new(known), filled };
        let outcome = work(attempt.clone()).await;
        // Whoever fills the last slot ends it all.
        drop(attempt.keep(None, outcome).await);
        pending::<()>().await;
    };
    let keep = async {
        let (mut begin, mut known) = (Some(begin), BTreeMap::new());
        loop {
            let mut waiting = None;
            let slot = {
                let (begin, known) = (&mut begin, &mut known);
                let (to_fill, waiting) = (&mut to_fill, &mut waiting);
                let fill = move || async move {
                    if let Some(begin) = begin.take() {
                        drop(begin.send(mem::take(known)));
                    }
                    let next = to_fill.recv().await;
                    let Filled { slot, kept } =
                        next.ok_or_else(|| TerminalError::new("the turn is gone"))?;
                    *waiting = Some(kept);
                    Ok(Json::from(slot))
                };
                ctx.run(fill).name("call").await?.into_inner()
            };
            match (slot.key, waiting) {
                (None, _) => return Ok(slot.outcome),
                (Some(_), Some(waiting)) => drop(waiting.send(())),
                (Some(key), None) => {
                    known.insert(key, String::from(Box::<str>::from(slot.outcome)));
                }
            }
        }
    };
    match select(pin!(keep), pin!(attempt)).await {
        Either::Left((outcome, _)) => outcome,
        // It never ends.
        Either::Right(((), keep)) => keep.await,
    }
}
