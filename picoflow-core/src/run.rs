//! One turn at work.

mod as_text;
mod ask;
mod calls;
mod child;
mod children;
mod compact;
mod dispatch;
mod draft;
mod handler;
mod journal;
mod key;
mod listener;
mod offer;
mod panics;
mod recover;
mod settle;
mod taken;
mod turn;
mod within;

pub(crate) use draft::{Draft, PROMPT_KEY, Writes};
pub(crate) use handler::guard;
pub(crate) use listener::Listener;
pub(crate) use panics::{Careful, panic_text, panicked};
pub(crate) use turn::{Outcome, Start};
pub(crate) use within::within;

use crate::{
    BranchId, ParallelInvocation, Spent, StepId, TurnError, TurnEvent,
    flow::{CompiledFlow, CompiledStep},
    host::{CallSite, Host},
    model::{ChatModel, Usage},
    report::is_heard,
    session::{
        IMAGES, Image, Keeper, Level, LogEntry, Message, MessageKind, Repaired, SequenceEntry,
        Timestamp,
    },
    step::HookResult,
};
use serde_json::{Map, Value};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// What a turn works with and never changes.
pub(crate) struct Env {
    pub(crate) flow: Arc<CompiledFlow>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) session: String,
    /// The number of the turn in its session, from 1.
    pub(crate) turn: u64,
    /// The store with the session and its revision, if it is there yet.
    pub(crate) stored: Option<(Keeper, u64)>,
    pub(crate) context: Arc<Value>,
    pub(crate) cancellation: CancellationToken,
    /// Who hears of the turn while it runs.
    pub(crate) listener: Option<Listener>,
    /// Counts what model calls cost while the turn runs.
    pub(crate) spent: Option<Spent>,
    /// Children started so far, over all depths and branches.
    pub(crate) invocations: Arc<AtomicU32>,
}

/// A turn, or one branch of a `run_steps` in it.
pub(crate) struct Run {
    pub(crate) env: Arc<Env>,
    pub(crate) draft: Draft,
    /// Nesting of children: 0 for the current step.
    pub(crate) depth: u32,
    pub(crate) branch: Option<Arc<ParallelInvocation>>,
    pub(crate) record: Record,
    /// A misuse of the API by the flow's code. It fails the turn as soon as that code returns.
    pub(crate) fault: OnceLock<TurnError>,
    /// What the user shows, until a message takes it along.
    pub(crate) images: Vec<Image>,
    transitions: u32,
    taken: taken::Taken,
    started: key::Started,
    /// Which branch of which `run_steps` it is, such as `1:StockStep:sku-1/`, in the names of its calls.
    scope: String,
}

/// What a turn leaves behind besides its draft. It only grows, and a failing handler does not undo it.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) usage: Usage,
    pub(crate) entries: Vec<LogEntry>,
    pub(crate) moves: Vec<SequenceEntry>,
    pub(crate) events: Vec<TurnEvent>,
    /// Warnings that one turn has once.
    once: BTreeSet<(StepId, String)>,
}

impl Record {
    fn extend(&mut self, other: Self) {
        self.usage.add(&other.usage);
        self.entries.extend(other.entries);
        self.moves.extend(other.moves);
        self.events.extend(other.events);
        self.once.extend(other.once);
    }
}

impl Record {
    /// Takes the warnings out that a turn has once and that are known.
    fn forget_known(&mut self, known: &BTreeSet<(StepId, String)>) {
        let (entries, events) = (&mut self.entries, &mut self.events);
        for (step, message) in self.once.intersection(known) {
            let is_it = |entry: &LogEntry| {
                entry.message == *message
                    && entry.extra.get("step").and_then(Value::as_str) == Some(step.as_str())
            };
            entries.retain(|entry| !is_it(entry));
            events.retain(
                |event| !matches!(event, TurnEvent::Warned { message: told } if told == message),
            );
        }
    }
}

impl Run {
    pub(crate) fn new(env: Env, draft: Draft) -> Self {
        Self {
            env: Arc::new(env),
            draft,
            depth: 0,
            branch: None,
            record: Record::default(),
            fault: OnceLock::new(),
            images: Vec::new(),
            transitions: 0,
            taken: taken::Taken::default(),
            started: key::Started::default(),
            scope: String::new(),
        }
    }

    /// Takes what a hook returned, unless the hook misused the API.
    fn checked<T>(
        &mut self,
        step: &StepId,
        hook: &'static str,
        result: HookResult<T>,
    ) -> Result<T, TurnError> {
        self.check_fault()?;
        result.map_err(|source| {
            let mistake = TurnError::passed_on(&*source);
            mistake.unwrap_or_else(|| TurnError::Hook { step: step.clone(), hook, source })
        })
    }

    #[inline]
    pub(crate) fn check_fault(&mut self) -> Result<(), TurnError> {
        self.fault.take().map_or(Ok(()), Err)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.env.host.now().into()
    }

    /// Adds an entry to the session's `log`, `warn` or `error` list.
    pub(crate) fn note(&mut self, level: Level, message: String, extra: Map<String, Value>) {
        let flow = &self.env.flow.id;
        match level {
            Level::Log => tracing::info!(%flow, "{message}"),
            Level::Warn => tracing::warn!(%flow, "{message}"),
            Level::Error if is_heard() => {
                crate::__report!(ERROR, flow = flow, "{message}");
            }
            // What the flow's code says may quote the user, and does not belong on a terminal unasked.
            Level::Error => {
                let session = &self.env.session;
                crate::__report!(
                    ERROR,
                    flow = flow,
                    session = session,
                    "a tool failed; the list `error` of the session says why"
                );
            }
        }
        if level == Level::Warn {
            self.emit(TurnEvent::Warned { message: message.clone() });
        }
        self.record.entries.push(LogEntry { timestamp: self.now(), level, message, extra });
    }

    pub(crate) fn warn(&mut self, step: &StepId, message: impl Into<String>) {
        let extra = [("step".to_owned(), Value::from(step.as_str()))];
        self.note(Level::Warn, message.into(), extra.into_iter().collect());
    }

    /// Says which stored histories had calls that providers refuse.
    pub(crate) fn warn_of_repairs(&mut self, step: &StepId, repaired: &[Repaired]) {
        for (namespace, count) in repaired {
            self.warn(
                step,
                format!(
                    "repaired the memory `{namespace}`: providers refuse the names or ids of {count} stored tool calls, which have others now"
                ),
            );
        }
    }

    /// The same, unless the turn has this warning already.
    fn warn_once(&mut self, step: &StepId, message: String) {
        if self.record.once.insert((step.clone(), message.clone())) {
            self.warn(step, message);
        }
    }

    /// Adds a message of `step` to its namespace.
    fn push(&mut self, step: &CompiledStep, kind: MessageKind, content: String) {
        self.push_with(step, kind, content, Map::new());
    }

    /// Adds a message that was made, or said, elsewhere.
    fn push_message(&mut self, step: &CompiledStep, message: Message) {
        self.push_with(step, message.kind, message.content, message.additional);
    }

    /// Adds what the user says, with what the user shows.
    fn push_human(&mut self, step: &CompiledStep, text: String) {
        let images = std::mem::take(&mut self.images);
        let shown = (!images.is_empty()).then(|| serde_json::to_value(images).unwrap_or_default());
        let additional = shown.map(|images| (IMAGES.to_owned(), images));
        self.push_with(step, MessageKind::Human, text, Map::from_iter(additional));
    }

    fn push_with(
        &mut self,
        step: &CompiledStep,
        kind: MessageKind,
        content: String,
        additional: Map<String, Value>,
    ) {
        let message = self.message(step, kind, content, additional);
        self.draft.edit().messages(&step.namespace).push(Arc::new(message));
    }

    fn message(
        &self,
        step: &CompiledStep,
        kind: MessageKind,
        content: String,
        additional: Map<String, Value>,
    ) -> Message {
        let timestamp = self.now();
        let number = self.env.host.random() % 10_000_000_000;
        Message {
            id: format!("{}|{timestamp}|{number:010}", step.id),
            timestamp,
            content,
            kind,
            additional,
        }
    }
}

impl Env {
    /// The same for a branch, which is told to stop by a token of its own.
    fn fork(&self, cancellation: CancellationToken) -> Self {
        Self {
            flow: Arc::clone(&self.flow),
            model: Arc::clone(&self.model),
            host: Arc::clone(&self.host),
            session: self.session.clone(),
            turn: self.turn,
            stored: self.stored.clone(),
            context: Arc::clone(&self.context),
            cancellation,
            spent: self.spent.clone(),
            listener: self.listener.clone(),
            invocations: Arc::clone(&self.invocations),
        }
    }

    /// Counts `more` children if the turn has room for all of them.
    fn count_invocations(&self, more: usize) -> bool {
        let fits = |count: u32| {
            let sum = count.checked_add(u32::try_from(more).ok()?)?;
            (sum <= self.flow.limits.invocations).then_some(sum)
        };
        self.invocations.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    #[inline]
    pub(crate) fn step(&self, at: usize) -> Result<&CompiledStep, TurnError> {
        self.flow.steps.get(at).ok_or_else(|| TurnError::Invariant {
            session: self.session.clone(),
            flow: self.flow.id.clone(),
            reason: format!("there is no step number {at}"),
        })
    }

    /// Whether nobody has written the session since the turn began: else what the turn comes to is lost, and a model
    /// need not be paid for it. The write decides in the end.
    async fn check_revision(&self) -> Result<(), TurnError> {
        let Some((store, revision)) = &self.stored else {
            return Ok(());
        };
        if store.revision(&self.session).await? == Some(*revision) {
            return Ok(());
        }
        Err(TurnError::Conflict { session: self.session.clone() })
    }

    #[inline]
    fn site<'a>(&'a self, step: &'a CompiledStep, branch: Option<&'a BranchId>) -> CallSite<'a> {
        CallSite {
            flow: &self.flow.id,
            session: &self.session,
            step: &step.id,
            branch,
            call: None,
            calls: &[],
            request: None,
            attempt: 1,
            is_streamed: false,
            limit: Duration::MAX,
        }
    }
}
