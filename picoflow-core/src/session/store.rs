//! Where sessions are kept.

use super::{RunStatus, Session, Timestamp};
use crate::{BoxError, BoxFuture, FlowId, StepId};
use std::{sync::Arc, time::Duration};

/// Keeps session documents and swaps them by revision.
///
/// Policy (which session may go on, whose it is) is the engine's; a store keeps and returns what it is given: texts
/// with every character, numbers with every digit, objects with their keys in order. What a model was shown once is
/// shown again in the same words.
///
/// Implement it for another database; the rules of each method are its contract, and `store_conformance` in
/// `picoflow::testing` (feature `testing`) holds a store to them.
///
#[doc = include_str!("../docs/session_store.md")]
pub trait SessionStore: Send + Sync + 'static {
    /// Gets the store ready, such as by creating its tables. The engine calls it once when it is built.
    ///
    /// # Errors
    /// When the store cannot be used.
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }

    /// The session with this id, as it was last written, or `None`.
    ///
    /// # Errors
    /// When the store fails, or holds something that is no session.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>>;

    /// The revision of the session with this id, or `None`: what [`load`](Self::load) would tell, without the document.
    /// The engine asks before each further model call of a turn, so that a turn which has lost against another process
    /// does not pay for it. Default: by `load`.
    ///
    /// # Errors
    /// When the store fails.
    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async { Ok(self.load(id).await?.map(|session| session.revision)) })
    }

    /// Adds a session. Its revision is kept as it is (the engine creates at 0).
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the id is taken.
    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Replaces the session if the stored revision is `expected_revision`; `session.revision` is the new
    /// one. Compare and write are one atomic step.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the stored revision is another or the session is gone.
    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Removes the session; with a revision only if the stored one is that. Removing what is not there is
    /// no error without a revision.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when a revision is given and the stored one is another or gone.
    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Sessions that match, from the one after `query.after`, ordered by id (as Rust orders strings, byte by byte).
    ///
    /// # Errors
    /// When the store fails.
    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>>;
}

/// So that one store can serve an engine and whoever else looks at its sessions.
impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        (**self).prepare()
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        (**self).load(id)
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        (**self).revision(id)
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).create(session)
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).save(session, expected_revision)
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).delete(id, expected_revision)
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        (**self).list(query)
    }
}

/// Which sessions [`SessionStore::list`] gives.
///
/// The token of a page is the last id of the page before. An id never changes, so whoever walks the pages meets a
/// session at most once, and each session that matches all the while exactly once, whatever is written meanwhile.
///
#[doc = include_str!("../docs/session_query.md")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only those of this flow.
    pub flow: Option<FlowId>,
    /// Only those of this status.
    pub status: Option<RunStatus>,
    /// Only those last written at this time or later.
    pub saved_since: Option<Timestamp>,
    /// Only those last written before this time.
    pub saved_before: Option<Timestamp>,
    /// The last id of the page before.
    pub after: Option<String>,
    /// How many at the most.
    pub limit: usize,
}

impl Default for SessionQuery {
    /// The first hundred of all.
    fn default() -> Self {
        Self {
            flow: None,
            status: None,
            saved_since: None,
            saved_before: None,
            after: None,
            limit: 100,
        }
    }
}

/// What a list shows of a session.
///
/// See [`SessionStore`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The session.
    pub id: String,
    /// Its revision.
    pub revision: u64,
    /// Its flow.
    pub flow: FlowId,
    /// Whether it goes on.
    pub run_status: RunStatus,
    /// The step that takes the next turn.
    pub current_step: StepId,
    /// When it was created.
    pub created_on: Timestamp,
    /// When it was last written.
    pub save_on: Timestamp,
}

impl From<&Session> for SessionSummary {
    fn from(session: &Session) -> Self {
        Self {
            id: session.id.clone(),
            revision: session.revision,
            flow: session.flow.name.clone(),
            run_status: session.run_status,
            current_step: session.flow.current_step.clone(),
            created_on: session.created_on,
            save_on: session.save_on,
        }
    }
}

/// Why a store did not do as asked.
///
/// ```
/// use picoflow_core::session::StoreError;
///
/// let error = StoreError::conflict("s-1");
/// assert_eq!(error.to_string(), "session `s-1` was changed or removed by another request");
/// let error = StoreError::failed("disk full");
/// assert_eq!(error.to_string(), "the session store failed: disk full");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else was faster.
    #[error("session `{session}` was changed or removed by another request")]
    Conflict {
        /// The session.
        session: String,
    },
    /// What is stored is no session of this version.
    #[error("session `{session}` cannot be read: {source}")]
    Unreadable {
        /// The session.
        session: String,
        /// Why.
        source: BoxError,
    },
    /// The store itself failed.
    #[error("the session store failed: {0}")]
    Failed(#[source] BoxError),
    /// The store gave no answer in time. A write may or may not have been done.
    #[error(
        "the session store took longer than {0:?}: send the same turn again, or raise `Limits::store_timeout`"
    )]
    TimedOut(Duration),
}

impl StoreError {
    /// Somebody else was faster.
    /// See [`StoreError`] for an example.
    pub fn conflict(session: impl Into<String>) -> Self {
        Self::Conflict { session: session.into() }
    }

    /// The store itself failed.
    /// See [`StoreError`] for an example.
    pub fn failed(error: impl Into<BoxError>) -> Self {
        Self::Failed(error.into())
    }
}
