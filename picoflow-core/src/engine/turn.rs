//! What goes into a turn and what comes out.

use super::{mark::Mark, spent::Spent};
use crate::{
    CompiledFlow, ContentType, FlowId, StepId, TurnError, TurnEvent,
    model::Usage,
    run::{Listener, Outcome, Run},
    session::{
        FlowState, Image, LastTurn, Level, LogEntry, RunStatus, SESSION_VERSION, Session,
        StepState, Timestamp, larger_than,
    },
    storable::{MOST_NESTING, is_too_deep},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// One turn of a conversation.
///
/// ```
/// use picoflow_core::Turn;
/// use serde_json::json;
///
/// let opening = Turn::new("BasicFlow").config(json!({ "isPresident": true }));
/// assert!(format!("{opening:?}").contains("isPresident"));
/// let next = Turn::new("BasicFlow").session("s-1").message("Hi");
/// assert!(format!("{next:?}").contains("s-1"));
/// ```
///
/// As JSON it has all but its timeout and its cancellation, which are of the process that runs it. A field of another name
/// is refused.
///
/// ```
/// # use picoflow_core::Turn;
/// let json = serde_json::to_string(&Turn::new("BasicFlow").session("s-1").message("Hi"))?;
/// assert_eq!(json, r#"{"flow":"BasicFlow","session":"s-1","message":"Hi"}"#);
/// let turn: Turn = serde_json::from_str(&json)?;
/// assert!(format!("{turn:?}").contains("s-1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use = "a turn does nothing until `Engine::run` takes it"]
pub struct Turn {
    pub(super) flow: FlowId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<Image>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) config: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
    #[serde(skip)]
    pub(super) timeout: Option<Duration>,
    #[serde(skip)]
    pub(super) cancellation: CancellationToken,
    #[serde(skip)]
    pub(super) listener: Option<Listener>,
    #[serde(skip)]
    pub(super) spent: Option<Spent>,
}

impl Turn {
    /// A turn of this flow; without a session it starts a new one.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub fn new(flow: impl Into<FlowId>) -> Self {
        Self {
            flow: flow.into(),
            session: None,
            message: None,
            images: Vec::new(),
            config: None,
            token: None,
            timeout: None,
            cancellation: CancellationToken::new(),
            listener: None,
            spent: None,
        }
    }

    /// Goes on with a stored session.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// What the user says. Only a new session may begin without it.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.message = Some(text.into());
        self
    }

    /// Shows the model an image beside the message. Several calls show several. It is stored with the message and sent with
    /// it from then on, so a large one is better shown by its address.
    ///
    #[doc = include_str!("../docs/turn_image.md")]
    pub fn image(mut self, image: Image) -> Self {
        self.images.push(image);
        self
    }

    /// What every step of a new session can read as `cx.context()["config"]`. On a stored session it must be equal to
    /// what the session began with.
    /// See [`Cx::context`](crate::Cx::context) for an example.
    pub fn config(mut self, config: impl Into<Value>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// A name for this turn, so that it can be sent again when its answer was lost: if it is the session's newest turn,
    /// it does not run again, and its stored answer is the reply. A turn that failed runs again. One that says something else
    /// under the same token (message, images, config, session or flow) ends with [`TurnError::ReusedToken`].
    ///
    /// The token of a turn that starts a session becomes the session's id: make it as hard to guess, such as a UUID of
    /// version 4. It has 1 to 128 visible ASCII characters.
    ///
    #[doc = include_str!("../docs/turn_token.md")]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The longest that the turn may take, the wait for other turns of its session included. After that it ends with
    /// [`TurnError::TimedOut`]. When its last write was under way by then, the turn may be stored all the same: a
    /// [`token`](Turn::token) tells.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Ends the turn with [`TurnError::Cancelled`] when the token fires, also while it waits for its session; a turn that
    /// is being written is not cancelled any more.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Counts what the turn costs in `spent`, while it runs: what was counted stays counted if the turn fails, is cancelled,
    /// or is dropped.
    /// See [`Spent`] for an example.
    pub fn spent(mut self, spent: &Spent) -> Self {
        self.spent = Some(spent.clone());
        self
    }

    pub(super) fn check(&self, flow: &CompiledFlow) -> Result<(), TurnError> {
        if self.config.as_ref().is_some_and(is_too_deep) {
            return Err(TurnError::ConfigTooDeep { limit: MOST_NESTING });
        }
        if let Some(token) = &self.token
            && !((1..=128).contains(&token.len())
                && token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(TurnError::InvalidToken { token: token.clone() });
        }
        let limit = flow.limits.message_bytes;
        match &self.message {
            Some(text) if text.trim().is_empty() => Err(TurnError::EmptyMessage),
            Some(text) if text.len() > limit => {
                Err(TurnError::MessageTooLarge { bytes: text.len(), limit })
            }
            None if self.session.is_some() => Err(TurnError::EmptyMessage),
            _ => Ok(()),
        }
    }
}

/// What a turn came to.
///
/// See [`Engine::run`](crate::Engine::run) for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Reply {
    /// The session, for the next turn.
    pub session: String,
    /// What to show to the user.
    pub text: String,
    /// Whether the conversation is over.
    pub completed: bool,
    /// What kind of text it is.
    pub content_type: ContentType,
    /// The step that takes the next turn.
    pub step: StepId,
    /// What happened, in order.
    pub events: Vec<TurnEvent>,
    /// What the models of this turn reported.
    pub usage: Usage,
    /// Whether this is the stored answer to an earlier try with the same [`Turn::token`]. It has neither events nor
    /// usage.
    pub replayed: bool,
}

impl Reply {
    pub(super) fn of(session: Session, run: Run, outcome: Outcome) -> Self {
        Self {
            session: session.id,
            content_type: content_type(&run),
            text: outcome.text,
            completed: outcome.is_end,
            step: session.flow.current_step,
            events: run.record.events,
            usage: run.record.usage,
            replayed: false,
        }
    }

    /// The stored answer, if the session's newest turn had this token.
    pub(super) fn stored(
        session: &Session,
        flow: &CompiledFlow,
        mark: Option<&Mark>,
    ) -> Result<Option<Self>, TurnError> {
        let (Some(mark), Some(last)) = (mark, &session.last_turn) else { return Ok(None) };
        if !mark.is_of(session, last)? {
            return Ok(None);
        }
        let current = &session.flow.current_step;
        Ok(Some(Self {
            session: session.id.clone(),
            text: last.text.clone(),
            completed: session.is_completed(),
            content_type: last.content_type.clone(),
            // Under its present name, if it has another one since.
            step: flow.step(current).map_or_else(|| current.clone(), |step| step.id.clone()),
            events: Vec::new(),
            usage: Usage::default(),
            replayed: true,
        }))
    }

    /// The tools that were called, in order.
    /// See [`Engine::run`](crate::Engine::run) for an example.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|event| match event {
            TurnEvent::ToolCalled { tool, .. } => Some(&**tool),
            _ => None,
        })
    }

    /// The warnings of this turn, in order.
    /// See [`Cx::warn`](crate::Cx::warn) for an example.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|event| match event {
            TurnEvent::Warned { message } => Some(&**message),
            _ => None,
        })
    }
}

fn content_type(run: &Run) -> ContentType {
    run.draft.content_types.get(&run.draft.current).cloned().unwrap_or_default()
}

/// The first document of a session.
pub(super) fn new_session(
    run: &Run,
    id: String,
    now: Timestamp,
    mark: Option<Mark>,
    outcome: &Outcome,
) -> Result<Session, TurnError> {
    let flow = &run.env.flow;
    let empty = Session {
        id,
        revision: 0,
        version: SESSION_VERSION,
        run_status: RunStatus::Running,
        created_on: now,
        save_on: now,
        turns: 0,
        last_turn: None,
        tokens: Usage::default(),
        log: Vec::new(),
        error: Vec::new(),
        warn: Vec::new(),
        flow: FlowState {
            name: flow.id.clone(),
            version: flow.version,
            model: flow.model.clone(),
            context: Arc::clone(&run.env.context),
            current_step: StepId::new(""),
            sequence: Vec::new(),
            steps: Vec::new(),
            memory: std::collections::BTreeMap::new(),
        },
    };
    let mut session = written(&empty, run, now, mark, outcome)?;
    session.revision = 0;
    Ok(session)
}

/// The document after a turn.
pub(super) fn written(
    before: &Session,
    run: &Run,
    now: Timestamp,
    mark: Option<Mark>,
    outcome: &Outcome,
) -> Result<Session, TurnError> {
    let flow = &run.env.flow;
    let mut session = before.clone();
    session.revision = before.revision + 1;
    session.save_on = now;
    session.turns += 1;
    session.last_turn = mark.map(|Mark { token, digest }| LastTurn {
        token,
        digest: Some(digest),
        text: outcome.text.clone(),
        content_type: content_type(run),
    });
    session.tokens.add(&run.record.usage);
    session.add_entries(run.record.entries.iter().cloned());
    if run.draft.is_completed {
        session.run_status = RunStatus::Completed;
    }
    if let Some(step) = flow.steps.get(run.draft.current) {
        session.flow.current_step = step.id.clone();
    }
    session.flow.model = flow.model.clone();
    session.flow.sequence.extend(run.record.moves.iter().cloned());
    keep_newest(&mut session.flow.sequence, MOST_MOVES);
    session.flow.memory.clone_from(&run.draft.memory);
    session.flow.steps = states(before, run);
    let limit = flow.limits.document_bytes;
    match larger_than(&session, limit) {
        Some(bytes) => Err(TurnError::SessionTooLarge { session: session.id, bytes, limit }),
        None => Ok(session),
    }
}

/// The states that are worth a place: those that hold something, and those of steps that this flow does not know, as
/// they were.
fn states(before: &Session, run: &Run) -> Vec<StepState> {
    let flow = &run.env.flow;
    let known: HashSet<_> = flow.steps.iter().map(|step| &step.id).collect();
    let unknown = before.flow.steps.iter().filter(|state| !known.contains(&state.name));
    let own = flow.steps.iter().enumerate();
    let own = own.filter_map(|(at, step)| Some((step, run.draft.stored_state(at)?)));
    let own = own.filter(|(_, state)| state.as_object().is_some_and(|map| !map.is_empty()));
    own.map(|(step, state)| StepState { name: step.id.clone(), state })
        .chain(unknown.cloned())
        .collect()
}

/// How many entries of a kind a session keeps.
const MOST_ENTRIES: usize = 200;

/// How many moves it keeps.
const MOST_MOVES: usize = 1000;

fn keep_newest<T>(list: &mut Vec<T>, most: usize) {
    list.drain(..list.len().saturating_sub(most));
}

impl Session {
    /// Adds entries to the lists they belong to; the oldest ones make room.
    pub(super) fn add_entries(&mut self, entries: impl IntoIterator<Item = LogEntry>) {
        for entry in entries {
            match entry.level {
                Level::Log => &mut self.log,
                Level::Warn => &mut self.warn,
                Level::Error => &mut self.error,
            }
            .push(entry);
        }
        for list in [&mut self.log, &mut self.warn, &mut self.error] {
            keep_newest(list, MOST_ENTRIES);
        }
    }
}
