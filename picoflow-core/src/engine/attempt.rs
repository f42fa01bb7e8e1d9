//! One attempt at a turn: from the stored session to the written one.

use super::{
    Engine, Reply, Turn,
    mark::Mark,
    turn::{new_session, written},
    upgrade::upgraded,
};
use crate::{
    CompiledFlow, Env, StepId, TurnError,
    model::Usage,
    run::{Careful, Draft, Outcome, Run, Start, panicked},
    session::{Keeper, Level, LogEntry, RunStatus, SESSION_VERSION, Session, StoreError},
};
use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicU32},
};

impl Engine {
    pub(super) async fn run_checked(
        &self,
        flow: &Arc<CompiledFlow>,
        turn: &Turn,
    ) -> Result<Reply, TurnError> {
        let mark = Mark::of(turn);
        let (id, is_first) = match (&turn.session, &turn.token) {
            (Some(id), _) => (id.clone(), false),
            (None, Some(token)) => (token.clone(), true),
            (None, None) => return self.run_new(flow, self.0.host.session_id(), turn, None).await,
        };
        let open = turn.cancellation.run_until_cancelled(async {
            let guard = self.0.locks.acquire(&id).await;
            let stored = self.keeper(flow).load(&id).await?;
            Ok::<_, TurnError>((guard, stored))
        });
        let (_guard, stored) = open.await.ok_or(TurnError::Cancelled)??;
        match stored {
            Some(stored) if is_first => first_again(&stored, flow, mark.as_ref()),
            Some(stored) => self.run_stored(flow, stored, turn, mark).await,
            None if is_first => self.run_new(flow, id, turn, mark).await,
            None => Err(TurnError::UnknownSession { session: id }),
        }
    }

    /// The store, within the flow's limits.
    fn keeper(&self, flow: &CompiledFlow) -> Keeper {
        Keeper { store: Arc::clone(&self.0.store), limit: flow.limits.store_timeout }
    }

    async fn run_new(
        &self,
        flow: &Arc<CompiledFlow>,
        id: String,
        turn: &Turn,
        mark: Option<Mark>,
    ) -> Result<Reply, TurnError> {
        let mut context = Map::new();
        if let Some(config) = turn.config.clone() {
            context.insert("config".to_owned(), config);
        }
        let context = Arc::new(Value::Object(context));
        let current = initial_step(flow, &context)?;
        let mut run = Run::new(self.env(flow, &id, None, context, turn), Draft::new(flow, current));
        run.images.clone_from(&turn.images);
        let (run, outcome) = work(run, Start::New, turn.message.clone()).await;
        let outcome = outcome?;
        let now = self.0.host.now().into();
        let session = new_session(&run, id, now, mark.clone(), &outcome)?;
        let keeper = self.keeper(flow);
        match keeper.create(&session).await {
            // Another process was faster with the same turn.
            Err(StoreError::Conflict { session }) if mark.is_some() => {
                let stored = keeper.load(&session).await?;
                first_again(&stored.ok_or(TurnError::Conflict { session })?, flow, mark.as_ref())
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
        mark: Option<Mark>,
    ) -> Result<Reply, TurnError> {
        if let Some(reply) = Reply::stored(&stored, flow, mark.as_ref())? {
            return Ok(reply);
        }
        check_flow(&stored, flow)?;
        let (session, repaired) = upgraded(&stored, flow)?;
        let current = admit(&session, flow, turn)?;
        let context = Arc::clone(&session.flow.context);
        let env = self.env(flow, &session.id, Some(&session), context, turn);
        let mut run = Run::new(env, Draft::of(&session, flow, current));
        run.warn_of_repairs(&session.flow.current_step, &repaired);
        run.images.clone_from(&turn.images);
        let (run, outcome) = work(run, Start::Restored, turn.message.clone()).await;
        let written = outcome.and_then(|outcome| {
            let now = self.0.host.now().into();
            Ok((written(&session, &run, now, mark.clone(), &outcome)?, outcome))
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
            TurnError::Conflict { session } if mark.is_some() => {
                let reply = match keeper.load(&session).await? {
                    Some(stored) => Reply::stored(&stored, flow, mark.as_ref())?,
                    None => None,
                };
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

    pub(super) fn env(
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
            listener: turn.listener.clone(),
            spent: turn.spent.clone(),
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
            crate::__report!(
                WARN,
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
fn first_again(
    stored: &Session,
    flow: &CompiledFlow,
    mark: Option<&Mark>,
) -> Result<Reply, TurnError> {
    if let Some(reply) = Reply::stored(stored, flow, mark)? {
        return Ok(reply);
    }
    check_flow(stored, flow)?;
    Err(TurnError::UsedToken { session: stored.id.clone() })
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
