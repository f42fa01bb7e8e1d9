//! A turn while it runs: its place among those that may run, its line in the log, its key.

use crate::{
    Reply, TurnError,
    web::{Problem, TurnLine},
};
use axum::http::StatusCode;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::OwnedSemaphorePermit;

/// What is held until a turn has ended. One that is dropped before was cancelled.
pub(super) struct Running {
    pub(super) line: Option<TurnLine>,
    pub(super) key: Option<KeyUse>,
    pub(super) permit: OwnedSemaphorePermit,
}

impl Running {
    pub(super) fn end(self, result: Result<&Reply, &TurnError>) {
        if let (Ok(reply), Some(key)) = (result, self.key) {
            key.answered(&reply.session);
        }
        if let Some(line) = self.line {
            line.end(result);
        }
        drop(self.permit);
    }
}

/// How many keys are remembered.
const MAX_KEYS: usize = 10_000;

/// The sessions that this process has lately answered turns of, by the keys of those turns. What a session was sent with its
/// newest key is in its document; this is how a key is known that comes again with another session.
#[derive(Default)]
pub(super) struct Keys(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// Of each key, its session and what was said.
    sessions: HashMap<String, (String, u64)>,
    /// Oldest first.
    order: VecDeque<String>,
}

/// A key of a turn that is to run.
pub(super) struct KeyUse {
    keys: Arc<Keys>,
    key: String,
    said: u64,
}

impl Keys {
    /// Takes a key, with its caller's name in front, for a turn of this session.
    pub(super) fn take(
        self: &Arc<Self>,
        key: String,
        session: &str,
        said: u64,
    ) -> Result<KeyUse, Problem> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.sessions.get(&key).is_some_and(|known| known.0 != session || known.1 != said) {
            return Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "TURN_TOKEN_REUSED",
                "the `Idempotency-Key` came before with another request or session: send a request again as it was, and each new one with a new key",
            ));
        }
        Ok(KeyUse { keys: Arc::clone(self), key, said })
    }
}

impl KeyUse {
    fn answered(self, session: &str) {
        let mut known = self.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
        let said = (session.to_owned(), self.said);
        if known.sessions.insert(self.key.clone(), said).is_none() {
            known.order.push_back(self.key);
        }
        if known.order.len() > MAX_KEYS
            && let Some(oldest) = known.order.pop_front()
        {
            known.sessions.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_keys_are_remembered() {
        let keys = Arc::new(Keys::default());
        for i in 0..=MAX_KEYS {
            keys.take(i.to_string(), "a", 1).unwrap().answered("a");
        }
        assert!(keys.take("0".into(), "b", 1).is_ok());
        assert!(keys.take("1".into(), "b", 1).is_err());
        assert!(keys.take("1".into(), "a", 2).is_err());
        assert!(keys.take("1".into(), "a", 1).is_ok());
        let known = keys.0.lock().unwrap();
        assert_eq!((known.sessions.len(), known.order.len()), (MAX_KEYS, MAX_KEYS));
    }
}
