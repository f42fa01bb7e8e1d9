//! The engine: flows, a model, a store, and turns.

mod builder;
mod turn;
mod upgrade;

pub use builder::EngineBuilder;
pub use turn::{Reply, Turn};

use crate::{
    CompiledFlow, Env, FlowId, Host, StepId, TurnError,
    model::{ChatModel, Usage},
    run::{Careful, Draft, Outcome, Run, Start, panicked},
    session::{
        Keeper, Level, LogEntry, RunStatus, SESSION_VERSION, Session, SessionLocks, SessionQuery,
        SessionStore, SessionSummary, StoreError, empty_object,
    },
};
use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicU32},
};
use turn::{new_session, written};
use upgrade::upgraded;

/// Runs turns of conversations.
///
/// It needs a tokio runtime with timers, such as `#[tokio::main]` gives.
///
/// ```
/// use picoflow_core::{
///     BoxFuture, Cx, Engine, Flow, FlowId, ModelRef, Prompt, Step, StepId, Steps, Turn,
///     model::{ChatModel, ChatRequest, ModelError, ModelReply},
///     session::MemoryStore,
/// };
///
/// # struct Echo;
/// # impl ChatModel for Echo {
/// #     fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
/// #         Box::pin(async move { Ok(ModelReply::text(&request.latest().unwrap().content)) })
/// #     }
/// # }
/// struct Talk;
/// impl Step for Talk {
///     const ID: StepId = StepId::new("Talk");
/// }
///
/// struct TalkFlow;
/// impl Flow for TalkFlow {
///     const ID: FlowId = FlowId::new("TalkFlow");
///     fn model(&self) -> ModelRef {
///         ModelRef::new("none", "echo")
///     }
///     fn steps(&self) -> Steps {
///         Steps::new().add(Talk)
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let engine = Engine::builder().flow(TalkFlow).model(Echo).store(MemoryStore::new()).build().await?;
/// let reply = engine.run(Turn::new("TalkFlow").message("Hi")).await?;
/// assert_eq!(reply.text, "Hi");
/// assert!(!reply.completed);
/// let reply = engine.run(Turn::new("TalkFlow").session(&reply.session).message("again")).await?;
/// assert_eq!(reply.text, "again");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Shared>);

struct Shared {
    flows: BTreeMap<FlowId, Arc<CompiledFlow>>,
    model: Arc<dyn ChatModel>,
    store: Arc<dyn SessionStore>,
    host: Arc<dyn Host>,
    locks: SessionLocks,
}

impl Engine {
    /// Starts an engine.
    /// See [`EngineBuilder`] for an example.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }

    /// The compiled flow of this name.
    ///
    #[doc = include_str!("docs/engine_flows.md")]
    pub fn flow(&self, id: impl AsRef<str>) -> Option<&CompiledFlow> {
        self.0.flows.get(id.as_ref()).map(|flow| &**flow)
    }

    /// The compiled flows, by name.
    /// See [`flow`](Engine::flow) for an example.
    pub fn flows(&self) -> impl ExactSizeIterator<Item = &CompiledFlow> {
        self.0.flows.values().map(|flow| &**flow)
    }

    /// The stored session, as it was last written.
    ///
    /// # Errors
    /// When the store fails.
    ///
    #[doc = include_str!("docs/engine_sessions.md")]
    pub async fn session(&self, id: &str) -> Result<Option<Session>, StoreError> {
        self.0.store.load(id).await
    }

    /// Stored sessions that match, ordered by id.
    /// See [`session`](Engine::session) for an example.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn sessions(&self, query: &SessionQuery) -> Result<Vec<SessionSummary>, StoreError> {
        self.0.store.list(query).await
    }

    /// Removes a session for good, after a turn that is running on it here. Removing what is not there is no error.
    /// See [`session`](Engine::session) for an example.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn delete_session(&self, id: &str) -> Result<(), StoreError> {
        let _guard = self.0.locks.acquire(id).await;
        self.0.store.delete(id, None).await
    }

    /// Runs one turn: takes the user's message, works until there is a reply, and stores the session in one write.
    /// Turns of one session run one after the other, in the order of the calls.
    ///
    /// Dropping the future cancels the turn: the stored session is as it was, unless the turn was being written. So does
    /// the turn's token, which has no effect any more once the turn is being written.
    ///
    /// # Errors
    /// See [`TurnError`]. The stored session is as it was, but for an entry in its `error` list, and what the turn cost in
    /// its `tokens`, when the turn itself failed.
    ///
    #[doc = include_str!("docs/engine_turn.md")]
    pub async fn run(&self, turn: Turn) -> Result<Reply, TurnError> {
        let flow = self.compiled(turn.flow.as_str())?;
        turn.check(flow)?;
        let Some(limit) = turn.timeout else {
            return self.run_checked(flow, turn).await;
        };
        let running = tokio::time::timeout(limit, self.run_checked(flow, turn));
        running.await.unwrap_or(Err(TurnError::TimedOut { limit }))
    }

    async fn run_checked(&self, flow: &Arc<CompiledFlow>, turn: Turn) -> Result<Reply, TurnError> {
        let (id, is_first) = match (&turn.session, &turn.token) {
            (Some(id), _) => (id.clone(), false),
            (None, Some(token)) => (token.clone(), true),
            (None, None) => return self.run_new(flow, self.0.host.session_id(), turn).await,
        };
        let open = turn.cancellation.run_until_cancelled(async {
            let guard = self.0.locks.acquire(&id).await;
            let stored = self.keeper(flow).load(&id).await?;
            Ok::<_, TurnError>((guard, stored))
        });
        let (_guard, stored) = open.await.ok_or(TurnError::Cancelled)??;
        match stored {
            Some(stored) if is_first => first_again(&stored, flow, &turn),
            Some(stored) => self.run_stored(flow, stored, &turn).await,
            None if is_first => self.run_new(flow, id, turn).await,
            None => Err(TurnError::UnknownSession { session: id }),
        }
    }

    /// The store, within the flow's limits.
    fn keeper(&self, flow: &CompiledFlow) -> Keeper {
        Keeper { store: Arc::clone(&self.0.store), limit: flow.limits.store_timeout }
    }

    fn compiled(&self, id: &str) -> Result<&Arc<CompiledFlow>, TurnError> {
        let flow = self.0.flows.get(id);
        flow.ok_or_else(|| TurnError::UnknownFlow { flow: id.to_owned().into() })
    }

    /// A run at `step` in a new session that is not stored.
    pub(crate) fn harness(&self, flow: &str, step: &StepId) -> Result<(Run, usize), TurnError> {
        let flow = self.compiled(flow)?;
        let at = flow.place(step)?;
        let turn = Turn::new(flow.id.clone());
        let env = self.env(flow, &self.0.host.session_id(), None, empty_object(), &turn);
        Ok((Run::new(env, Draft::new(flow, at)), at))
    }

    async fn run_new(
        &self,
        flow: &Arc<CompiledFlow>,
        id: String,
        mut turn: Turn,
    ) -> Result<Reply, TurnError> {
        let mut context = Map::new();
        if let Some(config) = turn.config.clone() {
            context.insert("config".to_owned(), config);
        }
        let context = Arc::new(Value::Object(context));
        let current = initial_step(flow, &context)?;
        let run = Run::new(self.env(flow, &id, None, context, &turn), Draft::new(flow, current));
        let (run, outcome) = work(run, Start::New, turn.message.take()).await;
        let outcome = outcome?;
        let now = self.0.host.now().into();
        let session = new_session(&run, id, now, turn.token.clone(), &outcome)?;
        let keeper = self.keeper(flow);
        match keeper.create(&session).await {
            // Another process was faster with the same turn.
            Err(StoreError::Conflict { session }) if turn.token.is_some() => {
                let stored = keeper.load(&session).await?;
                first_again(&stored.ok_or(TurnError::Conflict { session })?, flow, &turn)
            }
            created => {
                created?;
                Ok(Reply::of(session, run, outcome))
            }
        }
    }

    async fn run_stored(
        &self,
        flow: &Arc<CompiledFlow>,
        stored: Session,
        turn: &Turn,
    ) -> Result<Reply, TurnError> {
        check_flow(&stored, flow)?;
        let token = turn.token.as_deref();
        if let Some(reply) = Reply::stored(&stored, flow, token) {
            return Ok(reply);
        }
        let session = upgraded(&stored, flow)?;
        let current = admit(&session, flow, turn)?;
        let context = Arc::clone(&session.flow.context);
        let env = self.env(flow, &session.id, Some(&session), context, turn);
        let run = Run::new(env, Draft::of(&session, flow, current));
        let (run, outcome) = work(run, Start::Restored, turn.message.clone()).await;
        let written = outcome.and_then(|outcome| {
            let now = self.0.host.now().into();
            Ok((written(&session, &run, now, turn.token.clone(), &outcome)?, outcome))
        });
        let keeper = self.keeper(flow);
        let saved = match written {
            Ok((session, outcome)) => match keeper.save(&session, stored.revision).await {
                Ok(()) => return Ok(Reply::of(session, run, outcome)),
                Err(error) => TurnError::from(error),
            },
            Err(error) => error,
        };
        match saved {
            // Another process may have been faster with the same turn.
            TurnError::Conflict { session } if token.is_some() => {
                let stored = keeper.load(&session).await?;
                let reply = stored.and_then(|stored| Reply::stored(&stored, flow, token));
                reply.ok_or(TurnError::Conflict { session })
            }
            error => {
                if error.is_noted() {
                    self.note_failure(&keeper, stored, &error, &run.record.usage).await;
                }
                Err(error)
            }
        }
    }

    fn env(
        &self,
        flow: &Arc<CompiledFlow>,
        id: &str,
        stored: Option<&Session>,
        context: Arc<Value>,
        turn: &Turn,
    ) -> Env {
        Env {
            flow: Arc::clone(flow),
            model: Arc::clone(&self.0.model),
            host: Arc::clone(&self.0.host),
            session: id.to_owned(),
            turn: stored.map_or(1, |stored| stored.turns + 1),
            stored: stored.map(|stored| (self.keeper(flow), stored.revision)),
            context,
            cancellation: turn.cancellation.child_token(),
            invocations: Arc::new(AtomicU32::new(0)),
        }
    }

    /// Adds the failure, and what it cost, to the stored session, if nobody wrote it meanwhile. The failure itself matters
    /// more than a failure to note it.
    async fn note_failure(
        &self,
        keeper: &Keeper,
        stored: Session,
        error: &TurnError,
        usage: &Usage,
    ) {
        let revision = stored.revision;
        let mut session = stored;
        let now = self.0.host.now().into();
        let mut extra = Map::new();
        extra.insert("code".to_owned(), json!(error.code()));
        if let Some(step) = error.step() {
            extra.insert("step".to_owned(), json!(step));
        }
        session.add_entries([LogEntry {
            timestamp: now,
            level: Level::Error,
            message: error.to_string(),
            extra,
        }]);
        session.tokens.add(usage);
        session.revision = revision + 1;
        session.save_on = now;
        if let Err(error) = keeper.save(&session, revision).await {
            tracing::warn!(
                session = session.id,
                "the failure of a turn could not be noted: {error}"
            );
        }
    }
}

/// Runs the turn; a panic or a cancellation is an error like any other. Returns the run for what it has recorded.
async fn work(
    mut run: Run,
    start: Start,
    message: Option<String>,
) -> (Run, Result<Outcome, TurnError>) {
    let cancellation = run.env.cancellation.clone();
    // Whoever still works for this turn when its future is dropped gets to know.
    let _guard = cancellation.clone().drop_guard();
    let turn = Careful::new(AssertUnwindSafe(Box::pin(run.turn(start, message))).catch_unwind());
    let result = match cancellation.run_until_cancelled(turn).await {
        Some(Ok(result)) => result,
        Some(Err(panic)) => Err(panicked(panic)),
        None => Err(TurnError::Cancelled),
    };
    // Whatever came out at the moment of the cancellation, such as of children that were stopped, is not what the turn
    // would have come to.
    let result = if cancellation.is_cancelled() { Err(TurnError::Cancelled) } else { result };
    (run, result)
}

/// The place of the step that a new session begins with.
fn initial_step(flow: &CompiledFlow, context: &Value) -> Result<usize, TurnError> {
    let asked = catch_unwind(AssertUnwindSafe(|| flow.flow.initial_step(context)));
    let target = asked.map_err(panicked)?;
    target.map_or(Ok(0), |target| flow.place(&target))
}

/// The answer to a first turn whose session is there already.
fn first_again(stored: &Session, flow: &CompiledFlow, turn: &Turn) -> Result<Reply, TurnError> {
    check_flow(stored, flow)?;
    Reply::stored(stored, flow, turn.token.as_deref())
        .ok_or_else(|| TurnError::UsedToken { session: stored.id.clone() })
}

/// Whether the session is one of this flow.
fn check_flow(session: &Session, flow: &CompiledFlow) -> Result<(), TurnError> {
    if session.flow.name == flow.id {
        return Ok(());
    }
    Err(TurnError::FlowMismatch {
        session: session.id.clone(),
        actual: session.flow.name.clone(),
        asked: flow.id.clone(),
    })
}

/// Whether the turn may go on with this session of its flow; if so, the place of its current step.
fn admit(session: &Session, flow: &CompiledFlow, turn: &Turn) -> Result<usize, TurnError> {
    let id = || session.id.clone();
    if session.run_status != RunStatus::Running {
        return Err(TurnError::EndedSession { session: id() });
    }
    let invariant =
        |reason: String| TurnError::Invariant { session: id(), flow: flow.id.clone(), reason };
    if session.version != SESSION_VERSION {
        return Err(invariant(format!(
            "its format is version {}, this program reads version {SESSION_VERSION}",
            session.version
        )));
    }
    if session.revision == u64::MAX || session.turns == u64::MAX {
        return Err(invariant("its `revision` or its `turns` cannot grow any more".to_owned()));
    }
    if let Some(config) = &turn.config
        && session.flow.context.get("config") != Some(config)
    {
        return Err(TurnError::ConfigMismatch { session: id() });
    }
    let current: &StepId = &session.flow.current_step;
    let place = flow.index.get(current).copied();
    place.ok_or_else(|| {
        invariant(format!(
            "its current step `{current}` is not in the flow any more: if it has another name now, give that step `.alias(\"{current}\")`"
        ))
    })
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows: Vec<_> = self.0.flows.keys().collect();
        f.debug_struct("Engine").field("flows", &flows).finish_non_exhaustive()
    }
}
