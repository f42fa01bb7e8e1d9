//! One turn at a time for each session, first come, first served, within this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

#[derive(Debug, Default)]
pub(crate) struct SessionLocks(Mutex<HashMap<String, Arc<AsyncMutex<()>>>>);

/// Holds the session until it is dropped.
pub(crate) struct SessionGuard<'a> {
    locks: &'a SessionLocks,
    id: String,
    guard: Option<OwnedMutexGuard<()>>,
}

impl SessionLocks {
    pub(crate) async fn acquire(&self, id: &str) -> SessionGuard<'_> {
        let lock = Arc::clone(self.map().entry(id.to_owned()).or_default());
        // Made before the wait, so that a caller who gives up waiting cleans up too.
        let mut guard = SessionGuard { locks: self, id: id.to_owned(), guard: None };
        guard.guard = Some(lock.lock_owned().await);
        guard
    }

    // A panic while the map is held is impossible but for a failed allocation: the map is whole.
    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<AsyncMutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SessionGuard<'_> {
    fn drop(&mut self) {
        let mut map = self.locks.map();
        drop(self.guard.take());
        // The map's own handle is the last: nobody holds the session or waits for it.
        if map.get(&self.id).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            map.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn the_second_waits_and_the_map_is_empty_in_the_end() {
        let locks = SessionLocks::default();
        let first = locks.acquire("a").now_or_never().unwrap();
        assert!(locks.acquire("a").now_or_never().is_none());
        assert!(locks.acquire("b").now_or_never().is_some());
        drop(first);
        assert!(locks.acquire("a").now_or_never().is_some());
        assert!(locks.map().is_empty());
    }
}
