//! The virtual object that a session is.

use super::journal::{Attempt, once};
use crate::{
    Engine, FlowId, Reply, Turn, TurnError,
    session::{MemoryStore, Session, SessionStore},
    status::status,
};
use restate_sdk::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use std::sync::Arc;

/// Where the document is among the object's state.
const DOCUMENT: &str = "session";

/// One turn of a session.
///
/// ```
/// use picoflow::restate::TurnRequest;
///
/// let request = TurnRequest::new("BasicFlow").message("Hi");
/// assert_eq!(serde_json::to_value(&request)?, serde_json::json!({ "flow": "BasicFlow", "message": "Hi" }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TurnRequest {
    /// The name of the flow.
    pub flow: String,
    /// What the user says. Only a first turn may do without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the session is started with: see [`Turn::config`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
}

impl TurnRequest {
    /// A turn of this flow.
    /// See [`TurnRequest`] for an example.
    pub fn new(flow: impl Into<String>) -> Self {
        Self { flow: flow.into(), message: None, config: None }
    }

    /// What the user says.
    /// See [`TurnRequest`] for an example.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.message = Some(text.into());
        self
    }

    /// What every step can read as `cx.context()["config"]`.
    /// See [`TurnRequest`] for an example.
    #[must_use]
    pub fn config(mut self, config: impl Into<Value>) -> Self {
        self.config = Some(config.into());
        self
    }

    fn turn(self) -> Turn {
        let mut turn = Turn::new(FlowId::from(self.flow));
        if let Some(text) = self.message {
            turn = turn.message(text);
        }
        if let Some(config) = self.config {
            turn = turn.config(config);
        }
        turn
    }
}

/// What a turn came to: what Restate keeps as the last step of its journal.
#[derive(Serialize, Deserialize)]
struct Ended {
    /// The document, if it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Session>,
    result: Result<Reply, Problem>,
}

#[derive(Serialize, Deserialize)]
struct Problem {
    status: u16,
    text: String,
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        Self { status: status(&error), text: format!("{}: {error}", error.code()) }
    }
}

pub(super) struct Sessions {
    engine: Engine,
}

impl Sessions {
    pub(super) const fn new(engine: Engine) -> Self {
        Self { engine }
    }

    /// One turn, from the object's document to its next one.
    async fn run(&self, ctx: &ObjectContext<'_>, turn: Turn) -> HandlerResult<Json<Reply>> {
        let before = ctx.get::<Json<Session>>(DOCUMENT).await?.map(Json::into_inner);
        let ended = once(ctx, async |attempt| {
            let ended = self.attempt(before, ctx.key(), turn, attempt).await;
            // A document that was read and written before can be written.
            serde_json::to_string(&ended).unwrap_or_default()
        });
        let ended: Ended = serde_json::from_str(ended.await?.get())?;
        if let Some(session) = ended.session {
            ctx.set(DOCUMENT, Json::from(session));
        }
        match ended.result {
            Ok(reply) => Ok(Json::from(reply)),
            Err(problem) => Err(TerminalError::new_with_code(problem.status, problem.text).into()),
        }
    }

    async fn attempt(
        &self,
        before: Option<Session>,
        id: &str,
        turn: Turn,
        attempt: Attempt,
    ) -> Ended {
        let revision = before.as_ref().map(|session| session.revision);
        let store = Arc::new(MemoryStore::new());
        let run = async {
            if let Some(session) = &before {
                store.create(session).await?;
            }
            self.engine.over(Arc::clone(&store), attempt).run(turn).await
        };
        let result = run.await.map_err(Problem::from);
        let after = store.load(id).await.ok().flatten();
        Ended { session: after.filter(|after| Some(after.revision) != revision), result }
    }
}

#[object(name = "Session")]
impl Sessions {
    #[handler]
    async fn start(
        &self,
        ctx: ObjectContext<'_>,
        request: Json<TurnRequest>,
    ) -> HandlerResult<Json<Reply>> {
        let turn = request.into_inner().turn().token(ctx.key());
        self.run(&ctx, turn).await
    }

    #[handler]
    async fn turn(
        &self,
        ctx: ObjectContext<'_>,
        request: Json<TurnRequest>,
    ) -> HandlerResult<Json<Reply>> {
        let turn = request.into_inner().turn().session(ctx.key());
        self.run(&ctx, turn).await
    }

    #[handler]
    async fn session(
        &self,
        ctx: SharedObjectContext<'_>,
    ) -> HandlerResult<Json<Option<Box<RawValue>>>> {
        let session = ctx.get::<Json<Box<RawValue>>>(DOCUMENT).await?;
        Ok(Json::from(session.map(Json::into_inner)))
    }

    #[handler]
    #[expect(clippy::unused_async, reason = "a handler is async")]
    async fn delete(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        ctx.clear(DOCUMENT);
        Ok(())
    }
}
