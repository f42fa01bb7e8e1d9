//! The engine: flows, a model, a store, and turns.

mod attempt;
mod batch;
mod builder;
mod mark;
mod spent;
mod stream;
mod turn;
mod upgrade;

pub use batch::{ItemDone, TurnBatch};
pub use builder::EngineBuilder;
pub use spent::Spent;
pub use turn::{Reply, Turn};

use crate::{
    CompiledFlow, FlowId, Host, StepId, TurnError, TurnSite,
    model::ChatModel,
    run::{Draft, Run},
    session::{
        Session, SessionLocks, SessionQuery, SessionStore, SessionSummary, StoreError, empty_object,
    },
};
use std::{collections::BTreeMap, fmt, sync::Arc};

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
    flows: Arc<BTreeMap<FlowId, Arc<CompiledFlow>>>,
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

    /// The same flows and the same model over another store and another host, such as those of one turn in a durable
    /// engine. Nothing is compiled again, and the store is taken as it is: call [`SessionStore::prepare`] where it
    /// needs that. A host that watches this engine, see [`Host::around`], watches that one too.
    ///
    #[doc = include_str!("docs/journal.md")]
    #[must_use]
    pub fn over(&self, store: impl SessionStore, host: impl Host) -> Self {
        Self(Arc::new(Shared {
            flows: Arc::clone(&self.0.flows),
            model: Arc::clone(&self.0.model),
            store: Arc::new(store),
            host: self.0.host.around(Arc::new(host)),
            locks: SessionLocks::default(),
        }))
    }

    /// The same flows, store and host with another model, such as one that [asks this one](Engine::model) and writes down
    /// what it said. A turn here and a turn there on one session are as turns of two processes: they do not wait for each
    /// other, and one of them is a conflict.
    ///
    #[doc = include_str!("docs/engine_model.md")]
    #[must_use]
    pub fn with_model(&self, model: impl ChatModel) -> Self {
        Self(Arc::new(Shared {
            flows: Arc::clone(&self.0.flows),
            model: Arc::new(model),
            store: Arc::clone(&self.0.store),
            host: Arc::clone(&self.0.host),
            locks: SessionLocks::default(),
        }))
    }

    /// The model that answers.
    /// See [`with_model`](Engine::with_model) for an example.
    pub fn model(&self) -> &Arc<dyn ChatModel> {
        &self.0.model
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
        let site = TurnSite {
            flow: &flow.id,
            model: &flow.model,
            session: turn.session.as_deref().or(turn.token.as_deref()),
            message: turn.message.as_deref(),
        };
        self.0.host.turn(site, Box::pin(self.run_within(flow, &turn))).await
    }

    /// Runs the turn within its time.
    async fn run_within(&self, flow: &Arc<CompiledFlow>, turn: &Turn) -> Result<Reply, TurnError> {
        turn.check(flow)?;
        let Some(limit) = turn.timeout else {
            return self.run_checked(flow, turn).await;
        };
        let running = tokio::time::timeout(limit, self.run_checked(flow, turn));
        running.await.unwrap_or(Err(TurnError::TimedOut { limit }))
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
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows: Vec<_> = self.0.flows.keys().collect();
        f.debug_struct("Engine").field("flows", &flows).finish_non_exhaustive()
    }
}
