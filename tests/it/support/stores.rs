//! Stores for tests.

use super::Journal;
use picoflow::{
    BoxFuture,
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};
use std::sync::{Arc, Mutex};

/// A store that fails at one of its methods while it is told to.
#[derive(Clone)]
pub(crate) struct Broken {
    store: Arc<dyn SessionStore>,
    at: Arc<Mutex<Option<&'static str>>>,
}

impl Broken {
    pub(crate) fn new(store: Arc<dyn SessionStore>) -> Self {
        Self { store, at: Arc::default() }
    }

    pub(crate) fn fail(&self, at: Option<&'static str>) {
        *self.at.lock().unwrap() = at;
    }

    fn check(&self, at: &str) -> Result<(), StoreError> {
        if *self.at.lock().unwrap() == Some(at) {
            return Err(StoreError::failed(format!("no {at} today")));
        }
        Ok(())
    }
}

impl SessionStore for Broken {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async {
            self.check("prepare")?;
            self.store.prepare().await
        })
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        Box::pin(async {
            self.check("load")?;
            self.store.load(id).await
        })
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async {
            self.check("revision")?;
            self.store.revision(id).await
        })
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async {
            self.check("create")?;
            self.store.create(session).await
        })
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.check("save")?;
            self.store.save(session, expected_revision).await
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.delete(id, expected_revision)
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        self.store.list(query)
    }
}

/// A store that keeps a list of the calls that reach it.
pub(crate) struct Watched {
    store: Arc<dyn SessionStore>,
    calls: Journal,
}

impl Watched {
    pub(crate) fn new(store: Arc<dyn SessionStore>, calls: Journal) -> Self {
        Self { store, calls }
    }

    fn store(&self, call: &str) -> &dyn SessionStore {
        self.calls.add(call);
        &*self.store
    }
}

impl SessionStore for Watched {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.store("prepare").prepare()
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        self.store("load").load(id)
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        self.store("revision").revision(id)
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store("create").create(session)
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store("save").save(session, expected_revision)
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store("delete").delete(id, expected_revision)
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        self.store("list").list(query)
    }
}
