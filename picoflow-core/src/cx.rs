//! The one handle in hooks and handlers.

use crate::{
    ContentType, OnEntry, StepId, TurnError,
    children::{Batch, BatchError, ChildError, Children, ParallelInvocation},
    run::{PROMPT_KEY, Run},
    session::{Level, Memory, Message},
    storable,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::fmt;
use tokio_util::sync::CancellationToken;

/// The session, as a step sees it during a turn.
///
/// Everything written here belongs to the turn: it is stored when the turn succeeds, and gone when it fails.
///
/// A mistake that cannot be answered on the spot (a state that is no object, a step that does not exist) never
/// panics and is never ignored: the turn fails with a [`TurnError`] as soon as the hook or handler returns. In a child the
/// child fails, which the step that started it may handle.
///
/// The example of each method runs a whole turn.
///
/// ```
/// use picoflow_core::{Cx, ToolResponse, go};
/// use serde_json::json;
///
/// async fn user_name(cx: &mut Cx<'_>, name: String) -> ToolResponse {
///     let tries = cx.state()["tries"].as_u64().unwrap_or(0);
///     cx.save_state(json!({ "name": name, "tries": tries + 1 }));
///     go("ReviewStep")
/// }
/// ```
pub struct Cx<'t> {
    run: &'t mut Run,
    at: usize,
}

static NULL: Value = Value::Null;
static NO_MEMORY: std::sync::LazyLock<Memory> = std::sync::LazyLock::new(Memory::default);

impl<'t> Cx<'t> {
    pub(crate) const fn new(run: &'t mut Run, at: usize) -> Self {
        Self { run, at }
    }
}

impl Cx<'_> {
    /// The step that runs: for a base, the derived step.
    /// See [`context`](Cx::context) for an example.
    pub fn step_id(&self) -> &StepId {
        // The step at `at` exists for as long as the turn does.
        static NOWHERE: StepId = StepId::new("");
        self.run.env.flow.steps.get(self.at).map_or(&NOWHERE, |step| &step.id)
    }

    /// The session.
    /// See [`context`](Cx::context) for an example.
    pub fn session_id(&self) -> &str {
        &self.run.env.session
    }

    /// What the session began with, for all steps to read: `context()["config"]` is what the first turn gave as
    /// `Turn::config`.
    ///
    #[doc = include_str!("docs/cx_session.md")]
    pub fn context(&self) -> &Value {
        &self.run.env.context
    }

    /// The step's durable state: an object. A key that is not there reads as `null`. The prompt of a transition, which a
    /// stored session keeps in it as `_prompt`, is not part of it.
    /// See [`save_state`](Cx::save_state) for an example.
    pub fn state(&self) -> &Value {
        self.run.draft.states.get(self.at).map_or(&NULL, |state| state)
    }

    /// The step's durable state as `T`.
    ///
    /// # Errors
    /// When the state does not fit `T`.
    ///
    #[doc = include_str!("docs/cx_state_as.md")]
    pub fn state_as<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        T::deserialize(self.state())
    }

    /// Replaces each top-level key of `state` in the step's durable state; other keys stay. Nothing is merged below the
    /// top level, other than in the reference product.
    ///
    /// The turn fails if `state` is no object, holds something that JSON has no form for (such as `f64::NAN`), or has the
    /// key `_prompt`, under which a stored session keeps the prompt of a transition. (`json!` has made `null` of a NaN
    /// before it gets here.)
    ///
    #[doc = include_str!("docs/cx_state.md")]
    pub fn save_state(&mut self, state: impl Serialize) {
        if let Some(state) = self.object(state, "save_state") {
            self.run.draft.edit().merge_state(self.at, state);
        }
    }

    /// Takes a key out of the step's durable state.
    /// Returns what was there. See [`save_state`](Cx::save_state) for an example.
    pub fn remove_state(&mut self, key: &str) -> Option<Value> {
        if key == PROMPT_KEY {
            self.misuse(storable::reserved("remove_state", key));
            return None;
        }
        self.run.draft.edit().remove_state(self.at, key)
    }

    /// Another step's durable state: an object.
    /// A step that the flow does not have fails the turn. See [`save_state`](Cx::save_state) for an example.
    pub fn step_state(&self, step: impl Into<StepId>) -> &Value {
        let at = self.find(&step.into());
        let state = at.and_then(|at| self.run.draft.states.get(at));
        state.map_or(&NULL, |state| state)
    }

    /// The same as [`save_state`](Cx::save_state) on another step. A child of `run_steps` may write its own alone.
    /// What is saved before a transition is there when the other step's `on_enter` runs, unless that step begins afresh
    /// ([`OnEntry::Restart`]). See [`save_state`](Cx::save_state) for an example.
    pub fn save_step_state(&mut self, step: impl Into<StepId>, state: impl Serialize) {
        let Some(at) = self.find(&step.into()) else {
            return;
        };
        if at != self.at && self.is_branch("write another step's state") {
            return;
        }
        if let Some(state) = self.object(state, "save_step_state") {
            self.run.draft.edit().merge_state(at, state);
            self.write_ahead(at);
        }
    }

    /// The step's transient state: an object that lives as long as the turn and is never stored.
    /// See [`save_transient`](Cx::save_transient) for an example.
    pub fn transient(&self) -> &Value {
        let state = self.run.draft.transient.get(&self.at);
        state.map_or(&NULL, |state| state)
    }

    /// Replaces each top-level key of `state` in the step's transient state.
    ///
    #[doc = include_str!("docs/cx_transient.md")]
    pub fn save_transient(&mut self, state: impl Serialize) {
        if let Some(state) = self.object(state, "save_transient") {
            self.run.draft.edit().merge_transient(self.at, state);
        }
    }

    /// The same on another step, such as a child that is about to run.
    /// See [`save_transient`](Cx::save_transient) for an example.
    pub fn save_step_transient(&mut self, step: impl Into<StepId>, state: impl Serialize) {
        let Some(at) = self.find(&step.into()) else {
            return;
        };
        if at != self.at && self.is_branch("write another step's state") {
            return;
        }
        if let Some(state) = self.object(state, "save_step_transient") {
            self.run.draft.edit().merge_transient(at, state);
            self.write_ahead(at);
        }
    }

    /// The history of the step's namespace, with the summary of what was said before it, if there is one.
    ///
    /// A reply whose tools are running is not in it yet: it is added together with the answers to its calls, so that
    /// the history is one that providers accept at every moment. Nor is the reply that `on_response` looks at.
    ///
    #[doc = include_str!("docs/cx_memory.md")]
    pub fn memory(&self) -> &Memory {
        let namespace = self.run.env.flow.steps.get(self.at).map(|step| &step.namespace);
        let memory = namespace.and_then(|namespace| self.run.draft.memory.get(namespace));
        memory.unwrap_or(&NO_MEMORY)
    }

    /// The history of another namespace; empty if nobody has used it.
    /// See [`memory`](Cx::memory) for an example.
    pub fn memory_of(&self, namespace: &str) -> &Memory {
        self.run.draft.memory.get(namespace).unwrap_or(&NO_MEMORY)
    }

    /// The newest message of the step's namespace, its prompt aside.
    /// See [`memory`](Cx::memory) for an example.
    pub fn last_message(&self) -> Option<&Message> {
        self.memory().last()
    }

    /// Forgets the history of the step's namespace, and its summary.
    /// See [`memory`](Cx::memory) for an example.
    pub fn erase_memory(&mut self) {
        if let Some(step) = self.run.env.flow.steps.get(self.at) {
            self.run.draft.edit().memory.remove(&step.namespace);
        }
    }

    /// Completes the session at the end of this turn. The cursor does not move and no model is called for it.
    ///
    #[doc = include_str!("docs/cx_completed.md")]
    pub fn mark_completed(&mut self) {
        if !self.is_branch("complete the session") {
            self.run.draft.edit().is_completed = true;
        }
    }

    /// Whether the session is completed, or will be at the end of this turn.
    /// See [`mark_completed`](Cx::mark_completed) for an example.
    pub fn is_completed(&self) -> bool {
        self.run.draft.is_completed
    }

    /// Runs another step inside this one, to its answer: its `on_enter`, model calls and tools, its `on_exit`. The
    /// cursor does not move. The answer is the value of `direct_result`, the object of a structured reply, or the text
    /// as a string.
    ///
    /// # Errors
    /// When the child fails, also because it moves the cursor or speaks to the user ([`TurnError::ChildTransition`]) or
    /// because there is no such step. An error that the caller passes on by `?` fails the turn if it is such a mistake.
    /// In a child of [`run_steps`](Cx::run_steps) it is an atomic batch of one: nothing of it is kept if it fails, and its
    /// history is its own.
    ///
    #[doc = include_str!("docs/cx_run_step.md")]
    pub async fn run_step(
        &mut self,
        step: impl Into<StepId> + Send,
        message: Option<&str>,
    ) -> Result<Value, ChildError> {
        let step = step.into();
        self.run.run_step(self.at, &step, message.map(str::to_owned)).await
    }

    /// Runs steps side by side, each on a copy of the session as it is now: it reads everything, writes its own state,
    /// and keeps its history to itself. The state of those that succeed is there when this returns.
    ///
    /// [`Children`] takes them all or none, bounds them and cancels them; [`Channel`](crate::Channel) says how they
    /// write one field. Dropping the future stops every child; what their model calls cost is accounted for.
    ///
    /// # Errors
    /// See [`BatchError`]: when the batch cannot start, when two children wrote one field, and when an atomic batch
    /// failed. Otherwise a child that fails by itself is a branch in [`Batch::rejected`].
    ///
    #[doc = include_str!("docs/cx_run_steps.md")]
    pub async fn run_steps(
        &mut self,
        children: impl Into<Children> + Send,
    ) -> Result<Batch, BatchError> {
        self.run.run_steps(self.at, children.into()).await
    }

    /// Gives a value to a field of the step's durable state that several children may write: the field's
    /// [`Channel`](crate::Channel) says how. In a child of [`run_steps`](Cx::run_steps) the field changes when the
    /// batch is joined, otherwise at once. A field without a channel fails the turn; so does, outside of a child, a
    /// value that the channel refuses.
    /// See [`Channel`](crate::Channel) for an example.
    pub fn contribute(&mut self, field: &str, value: impl Serialize) {
        match storable::json(&value, "contribute") {
            Ok(value) => {
                if let Err(error) = self.run.contribute(self.at, field, value) {
                    self.fault(error);
                }
            }
            Err(reason) => self.misuse(reason),
        }
    }

    /// What this child of `run_steps` was started with; `None` outside one.
    /// See [`run_steps`](Cx::run_steps) for an example.
    pub fn parallel(&self) -> Option<&ParallelInvocation> {
        self.run.branch.as_deref()
    }

    /// A name for what this handler does, to hand to a back end that must not do it twice: the same in every attempt at
    /// the turn, and another one in each call of each turn.
    ///
    /// It is `session/turn/tool/number`: the number of the turn in its session, and that of the call among those of its
    /// tool in the turn. It says nothing of the arguments, which a model may word otherwise at the next attempt: a back
    /// end should refuse a known key with other arguments. In a hook it names the step in place of the tool. The first
    /// turn of a session has the same name at the next attempt only with a [`Turn::token`](crate::Turn::token).
    ///
    #[doc = include_str!("docs/cx_idempotency_key.md")]
    pub fn idempotency_key(&self) -> String {
        self.run.idempotency_key(self.at)
    }

    /// Fires when nobody waits for the turn any more; in a child of `run_steps`, when the child is to come to an end.
    /// See [`context`](Cx::context) for an example.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.run.env.cancellation
    }

    /// Adds a warning to the session, the trace and the turn's events.
    ///
    #[doc = include_str!("docs/cx_notes.md")]
    pub fn warn(&mut self, message: impl Into<String>) {
        let step = self.step_id().clone();
        self.run.warn(&step, message);
    }

    /// Adds an entry to the session's `log`.
    /// See [`warn`](Cx::warn) for an example.
    pub fn log(&mut self, message: impl Into<String>) {
        let extra = [("step".to_owned(), Value::from(self.step_id().as_str()))];
        let extra = extra.into_iter().collect();
        self.run.note(Level::Log, message.into(), extra);
    }

    /// Answers with the content type that `prior` had.
    pub(crate) fn inherit_content_type(&mut self, prior: &StepId) {
        let prior = self.run.env.flow.index.get(prior);
        let content_type = prior.and_then(|prior| self.run.draft.content_types.get(prior));
        let content_type: Option<ContentType> = content_type.cloned();
        if let Some(content_type) = content_type {
            let types = &mut self.run.draft.edit().content_types;
            types.entry(self.at).or_insert(content_type);
        }
    }

    fn find(&self, step: &StepId) -> Option<usize> {
        self.run.env.flow.place(step).map_err(|error| self.fault(error)).ok()
    }

    fn object(&self, state: impl Serialize, method: &str) -> Option<Map<String, Value>> {
        storable::object(&state, method).map_err(|reason| self.misuse(reason)).ok()
    }

    /// Another step's state is written. One that begins afresh on entry will forget that.
    fn write_ahead(&mut self, step: usize) {
        let steps = &self.run.env.flow.steps;
        if step != self.at && steps.get(step).is_some_and(|step| step.on_entry == OnEntry::Restart)
        {
            self.run.draft.edit().ahead.insert(step);
        }
    }

    /// Whether this is a branch of `run_steps`, in which case it may not do that.
    fn is_branch(&self, what: &str) -> bool {
        let is_branch = self.run.branch.is_some();
        if is_branch {
            self.misuse(format!(
                "a child of `run_steps` cannot {what}: answer with `direct_result`"
            ));
        }
        is_branch
    }

    fn misuse(&self, reason: String) {
        self.fault(TurnError::Misuse { step: self.step_id().clone(), reason });
    }

    fn fault(&self, error: TurnError) {
        // The first one is the cause.
        drop(self.run.fault.set(error));
    }
}

impl fmt::Debug for Cx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("session", &self.session_id())
            .field("step", self.step_id())
            .finish_non_exhaustive()
    }
}
