//! The store's calls in a turn: each within its time, and a panic is a failure like any other.

use super::{Session, SessionStore, StoreError};
use crate::run::{panic_text, within};
use futures_util::FutureExt;
use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

/// A store as a turn uses it.
#[derive(Clone)]
pub(crate) struct Keeper {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) limit: Duration,
}

impl Keeper {
    pub(crate) async fn revision(&self, id: &str) -> Result<Option<u64>, StoreError> {
        self.within(async { self.store.revision(id).await }).await
    }

    pub(crate) async fn load(&self, id: &str) -> Result<Option<Session>, StoreError> {
        self.within(async { self.store.load(id).await }).await
    }

    pub(crate) async fn create(&self, session: &Session) -> Result<(), StoreError> {
        self.within(async { self.store.create(session).await }).await
    }

    pub(crate) async fn save(&self, session: &Session, expected: u64) -> Result<(), StoreError> {
        self.within(async { self.store.save(session, expected).await }).await
    }

    async fn within<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match within(self.limit, AssertUnwindSafe(call).catch_unwind()).await {
            Some(Ok(answer)) => answer,
            Some(Err(panic)) => {
                Err(StoreError::failed(format!("it panicked: {}", panic_text(panic))))
            }
            None => Err(StoreError::TimedOut(self.limit)),
        }
    }
}
