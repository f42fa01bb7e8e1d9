//! A fault that strikes at the n-th call of a conversation: of its store, its model, or what its handlers reach.

use picoflow::{
    BoxError, BoxFuture,
    model::{ChatModel, ChatRequest, ModelError, ModelReply},
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};
use std::{
    error::Error,
    fmt,
    future::pending,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{sync::Notify, task::yield_now};
use tokio_util::sync::CancellationToken;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The session store.
    Store,
    /// The model.
    Model,
    /// A back end, by a handler.
    Effect,
}

/// Whether a fault comes before the call has its effect, or takes its answer away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nothing has happened.
    Before,
    /// It has happened, and nobody hears of it.
    After,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It fails for good.
    Error,
    /// It fails in a way that is worth another try at once, if the call knows such a way.
    Hiccup,
    /// It never answers.
    Silence,
    /// The process ends.
    Death,
}

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the call, from 0.
    pub at: usize,
    /// When in that call.
    pub moment: Moment,
    /// What happens.
    pub kind: Kind,
}

/// What a call that was struck returns.
#[derive(Clone, Copy, Debug)]
pub struct Struck {
    /// Whether another try is worth it.
    pub is_transient: bool,
}

impl fmt::Display for Struck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struck")
    }
}

impl Error for Struck {}

#[derive(Debug, Default)]
struct Plan {
    fault: Option<Fault>,
    calls: Vec<Place>,
    signals: Vec<CancellationToken>,
}

/// Counts the calls that go through it, and strikes at one of them at the most.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<Plan>>,
    death: Arc<Notify>,
}

impl Faults {
    /// Strikes as told.
    pub fn new(fault: impl Into<Option<Fault>>) -> Self {
        let faults = Self::default();
        faults.arm(fault);
        faults
    }

    /// Counts anew, and strikes as told.
    pub fn arm(&self, fault: impl Into<Option<Fault>>) {
        *self.plan() = Plan { fault: fault.into(), ..Plan::default() };
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Place> {
        self.plan().calls.clone()
    }

    /// Keeps the signal by which a call is told that nobody waits any more.
    pub fn watch(&self, signal: &CancellationToken) {
        self.plan().signals.push(signal.clone());
    }

    /// The signals of the calls so far.
    pub fn signals(&self) -> Vec<CancellationToken> {
        self.plan().signals.clone()
    }

    /// Comes back when a fault has ended the process.
    pub async fn death(&self) {
        self.death.notified().await;
    }

    /// Makes a call.
    ///
    /// # Errors
    /// When the fault strikes, or the call itself fails.
    pub async fn through<T, E: From<Struck>>(
        &self,
        place: Place,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let number = {
            let mut plan = self.plan();
            plan.calls.push(place);
            plan.calls.len() - 1
        };
        self.strike(number, Moment::Before).await?;
        let answer = call.await?;
        self.strike(number, Moment::After).await?;
        Ok(answer)
    }

    async fn strike(&self, number: usize, moment: Moment) -> Result<(), Struck> {
        let planned = self.plan().fault;
        let fault = planned.filter(|fault| (fault.at, fault.moment) == (number, moment));
        match fault.map(|fault| fault.kind) {
            // Every call waits at least once, so that a turn can be dropped there.
            None => yield_now().await,
            Some(Kind::Error) => return Err(Struck { is_transient: false }),
            Some(Kind::Hiccup) => return Err(Struck { is_transient: true }),
            Some(Kind::Silence) => pending().await,
            Some(Kind::Death) => {
                self.death.notify_one();
                pending::<()>().await;
            }
        }
        Ok(())
    }

    fn plan(&self) -> std::sync::MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store or a model whose calls go through faults.
#[derive(Clone, Debug)]
pub struct Faulty<T> {
    /// What is called.
    pub inner: T,
    /// What its calls go through.
    pub faults: Faults,
}

/// Failures of either kind of call.
struct Failed<E>(E);

impl From<Struck> for Failed<StoreError> {
    fn from(struck: Struck) -> Self {
        Self(StoreError::failed(struck))
    }
}

impl From<Struck> for Failed<ModelError> {
    fn from(struck: Struck) -> Self {
        Self(if struck.is_transient {
            ModelError::transient(struck)
        } else {
            ModelError::permanent(struck)
        })
    }
}

impl<T> Faulty<T> {
    fn through<'a, A: Send + 'a, E: Send + 'a>(
        &'a self,
        place: Place,
        call: BoxFuture<'a, Result<A, E>>,
    ) -> BoxFuture<'a, Result<A, E>>
    where
        T: Sync,
        Failed<E>: From<Struck>,
    {
        Box::pin(async move {
            let call = async { call.await.map_err(Failed) };
            self.faults.through(place, call).await.map_err(|Failed(error)| error)
        })
    }
}

impl<S: SessionStore> SessionStore for Faulty<S> {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.prepare()
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        self.through(Place::Store, self.inner.load(id))
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        self.through(Place::Store, self.inner.revision(id))
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        self.through(Place::Store, self.inner.create(session))
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.through(Place::Store, self.inner.save(session, expected_revision))
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.through(Place::Store, self.inner.delete(id, expected_revision))
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        self.through(Place::Store, self.inner.list(query))
    }
}

impl<M: ChatModel> ChatModel for Faulty<M> {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        self.faults.watch(&request.cancellation);
        self.through(Place::Model, self.inner.generate(request))
    }
}

impl From<Struck> for Failed<BoxError> {
    fn from(struck: Struck) -> Self {
        Self(struck.into())
    }
}

/// Where handlers leave their effects: what outlives a process, and takes a key once for each effect.
pub trait Ledger: Send + Sync + 'static {
    /// Notes that `effect` was asked for under `key`.
    ///
    /// # Errors
    /// When it cannot be noted.
    fn note(&self, key: &str, effect: &str) -> Result<(), BoxError>;
}

/// A ledger in memory: the keys and effects in their order.
#[derive(Debug, Default)]
pub struct Rows(Mutex<Vec<(String, String)>>);

impl Rows {
    /// All that was noted.
    pub fn all(&self) -> Vec<(String, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Ledger for Rows {
    fn note(&self, key: &str, effect: &str) -> Result<(), BoxError> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push((key.to_owned(), effect.to_owned()));
        Ok(())
    }
}

impl Faulty<Arc<dyn Ledger>> {
    /// Notes an effect of a handler with this signal.
    ///
    /// # Errors
    /// When the fault strikes, or the ledger fails.
    pub async fn effect(
        &self,
        signal: &CancellationToken,
        key: &str,
        effect: &str,
    ) -> Result<(), BoxError> {
        self.faults.watch(signal);
        self.through(Place::Effect, Box::pin(async { self.inner.note(key, effect) })).await
    }
}
