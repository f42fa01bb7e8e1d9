//! Sessions in the memory of this process.

use super::{Session, SessionQuery, SessionStore, SessionSummary, StoreError};
use crate::BoxFuture;
use std::{
    collections::BTreeMap,
    future::ready,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Keeps sessions in the memory of this process, for tests and for conversations that may be lost.
///
/// ```
/// use picoflow_core::session::{MemoryStore, SessionStore};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert!(MemoryStore::new().load("nobody").await?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<BTreeMap<String, Session>>);

impl MemoryStore {
    /// An empty store.
    ///
    /// ```
    /// use picoflow_core::session::{MemoryStore, SessionQuery, SessionStore};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// assert!(MemoryStore::new().list(&SessionQuery::default()).await?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    // Nothing that holds the lock can leave the map half changed: a poisoned one is whole.
    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, session: &Session) -> Result<(), StoreError> {
        let mut sessions = self.sessions();
        if sessions.contains_key(&session.id) {
            return Err(StoreError::conflict(&session.id));
        }
        sessions.insert(session.id.clone(), session.clone());
        Ok(())
    }

    fn replace(&self, session: &Session, expected_revision: u64) -> Result<(), StoreError> {
        match self.sessions().get_mut(&session.id) {
            Some(stored) if stored.revision == expected_revision => {
                *stored = session.clone();
                Ok(())
            }
            _ => Err(StoreError::conflict(&session.id)),
        }
    }

    fn remove(&self, id: &str, expected_revision: Option<u64>) -> Result<(), StoreError> {
        let mut sessions = self.sessions();
        let stored = sessions.get(id).map(|session| session.revision);
        if expected_revision.is_some() && expected_revision != stored {
            return Err(StoreError::conflict(id));
        }
        sessions.remove(id);
        Ok(())
    }

    fn page(&self, query: &SessionQuery) -> Vec<SessionSummary> {
        let after = query.after.as_deref();
        self.sessions()
            .values()
            .filter(|session| after.is_none_or(|after| *session.id > *after))
            .filter(|session| query.flow.as_ref().is_none_or(|flow| *flow == session.flow.name))
            .filter(|session| query.status.is_none_or(|status| status == session.run_status))
            .filter(|session| query.saved_since.is_none_or(|since| session.save_on >= since))
            .filter(|session| query.saved_before.is_none_or(|before| session.save_on < before))
            .take(query.limit)
            .map(SessionSummary::from)
            .collect()
    }
}

impl SessionStore for MemoryStore {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        Box::pin(ready(Ok(self.sessions().get(id).cloned())))
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(ready(Ok(self.sessions().get(id).map(|session| session.revision))))
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.insert(session)))
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.replace(session, expected_revision)))
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.remove(id, expected_revision)))
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        Box::pin(ready(Ok(self.page(query))))
    }
}
