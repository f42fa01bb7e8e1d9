//! What calls came to, in the form in which a journal keeps it.
//!
//! A handler's outcome is its answer and all that it did to the turn: what is in the draft after it and was not before,
//! and what it left in the record. Steps go by their names, so that a journal can be read by a program that lists them
//! in another order.

use super::{
    Env, Record, Run,
    draft::{Data, Draft, Writes},
    key::Counts,
};
use crate::{
    BranchId, Journal, StepId, TurnError, TurnEvent,
    channel::Contribution,
    flow::CompiledFlow,
    model::{ModelError, ModelReply, Usage},
    response::ToolResponse,
    session::{LogEntry, Memory, SequenceEntry},
    tool::{ArgumentFault, Failure, ToolError, ToolResult},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering},
};

/// A call whose outcome is not known yet.
pub(super) struct Entry<'j> {
    journal: &'j dyn Journal,
    key: String,
}

impl Entry<'_> {
    async fn keep(self, outcome: &impl Serialize) -> Result<(), TurnError> {
        let Self { journal, key } = self;
        let kept = match serde_json::to_string(outcome) {
            Ok(outcome) => journal.record(key.clone(), outcome).await,
            Err(error) => Err(error.into()),
        };
        kept.map_err(|source| TurnError::Journal { key, source })
    }
}

/// The outcome that the journal has under `key`, or the place for it.
fn open<T: DeserializeOwned>(
    journal: &dyn Journal,
    key: String,
) -> Result<Result<T, Entry<'_>>, TurnError> {
    let Some(outcome) = journal.recall(&key) else {
        return Ok(Err(Entry { journal, key }));
    };
    let read = serde_json::from_str(&outcome);
    read.map(Ok).map_err(|error| TurnError::Journal { key, source: error.into() })
}

/// What a handler came to.
#[derive(Serialize, Deserialize)]
struct Handled {
    result: Result<ToolResponse, Failed>,
    effects: Effects,
}

/// A [`ToolError`].
#[derive(Serialize, Deserialize)]
enum Failed {
    Feedback(String),
    /// Paths and messages.
    Arguments(Vec<(String, String)>),
    Internal(String),
    Abort(String),
}

impl From<&ToolError> for Failed {
    fn from(error: &ToolError) -> Self {
        match &error.0 {
            Failure::Feedback(text) => Self::Feedback(text.clone()),
            Failure::Arguments(faults) => {
                let faults = faults.iter().map(|fault| (fault.path.clone(), fault.message.clone()));
                Self::Arguments(faults.collect())
            }
            Failure::Internal(error) => Self::Internal(error.to_string()),
            Failure::Abort(error) => Self::Abort(error.to_string()),
        }
    }
}

impl From<Failed> for ToolError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Feedback(text) => Self::feedback(text),
            Failed::Arguments(faults) => {
                let faults =
                    faults.into_iter().map(|(path, message)| ArgumentFault { path, message });
                Self::arguments(faults.collect())
            }
            Failed::Internal(reason) => Self::internal(reason),
            Failed::Abort(reason) => Self::abort(reason),
        }
    }
}

/// What a handler did to the turn.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Effects {
    /// States that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<(StepId, Arc<Value>)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transient: Vec<(StepId, Arc<Value>)>,
    /// Namespaces that changed; `None` if it is gone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    memory: BTreeMap<Arc<str>, Option<Memory>>,
    is_completed: bool,
    /// For a handler in a branch: what it wrote there.
    #[serde(skip_serializing_if = "Option::is_none")]
    writes: Option<Written>,
    /// Steps that forget their state on entry, and were written to before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ahead: Vec<StepId>,
    usage: Usage,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<LogEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<SequenceEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<TurnEvent>,
    /// Warnings that the turn has and has once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    once: BTreeSet<(StepId, String)>,
    /// How many calls of each name the run has seen by the handler's end.
    counts: Counts,
}

/// All that a branch wrote by the handler's end.
#[derive(Serialize, Deserialize)]
struct Written {
    /// Steps that began afresh.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    restarted: Vec<StepId>,
    fields: Vec<(StepId, String)>,
    contributions: Vec<Given>,
}

#[derive(Serialize, Deserialize)]
struct Given {
    step: StepId,
    field: String,
    branch: Arc<BranchId>,
    value: Value,
}

impl Written {
    fn of(writes: &Writes, flow: &CompiledFlow) -> Self {
        let fields = writes.fields.iter().map(|(at, field)| (flow.name(*at), field.clone()));
        let given = writes.contributions.iter().map(|given| Given {
            step: given.step.clone(),
            field: given.field.clone(),
            branch: Arc::clone(&given.branch),
            value: given.value.clone(),
        });
        let restarted = writes.restarted.iter().map(|at| flow.name(*at));
        Self {
            restarted: restarted.collect(),
            fields: fields.collect(),
            contributions: given.collect(),
        }
    }

    fn into_writes(self, flow: &CompiledFlow) -> Result<Writes, TurnError> {
        let mut writes = Writes::default();
        for step in self.restarted {
            writes.restarted.insert(flow.place(&step)?);
        }
        for (step, field) in self.fields {
            writes.fields.insert((flow.place(&step)?, field));
        }
        for Given { step, field, branch, value } in self.contributions {
            let at = flow.place(&step)?;
            let channel = flow.steps.get(at).and_then(|step| step.channels.get(&*field));
            // The code has changed since: without its channel the field cannot be joined.
            let Some(channel) = channel.cloned() else {
                let reason = format!("the field `{field}` of a journal has no channel any more");
                return Err(TurnError::Misuse { step, reason });
            };
            let given = Contribution { at, step, field, channel, branch, value };
            writes.contributions.push(Arc::new(given));
        }
        Ok(writes)
    }
}

/// How the turn was when a handler began.
pub(super) struct Before<'j> {
    entry: Entry<'j>,
    draft: Draft,
    usage: Usage,
    entries: usize,
    moves: usize,
    events: usize,
}

impl Run {
    /// What the next attempt at a model call came to, if the journal knows it, or the place for it; nothing without a
    /// journal.
    #[expect(
        clippy::type_complexity,
        reason = "an outcome, or where it goes, if there is a journal"
    )]
    pub(super) fn recall_reply<'j>(
        &mut self,
        env: &'j Env,
    ) -> Result<Option<Result<Result<ModelReply, ModelError>, Entry<'j>>>, TurnError> {
        let Some(journal) = env.host.journal() else {
            return Ok(None);
        };
        let key = self.model_key();
        open(journal, key).map(Some)
    }

    /// What the handler that has been entered came to, if the journal knows it, with what it did to the turn.
    pub(super) fn recall_result<'j>(
        &mut self,
        env: &Env,
        journal: &'j dyn Journal,
        at: usize,
    ) -> Result<Result<ToolResult, Before<'j>>, TurnError> {
        let handled = match open::<Handled>(journal, self.idempotency_key(at))? {
            Ok(handled) => handled,
            Err(entry) => {
                return Ok(Err(Before {
                    entry,
                    draft: self.draft.clone(),
                    usage: self.record.usage,
                    entries: self.record.entries.len(),
                    moves: self.record.moves.len(),
                    events: self.record.events.len(),
                }));
            }
        };
        self.apply_effects(env, handled.effects)?;
        Ok(Ok(handled.result.map_err(Into::into)))
    }

    /// Keeps what a handler came to.
    pub(super) async fn keep_result(
        &self,
        before: Before<'_>,
        result: &ToolResult,
    ) -> Result<(), TurnError> {
        let effects = self.effects(&before);
        let result = match result {
            Ok(response) => Ok(response.clone()),
            Err(error) => Err(error.into()),
        };
        before.entry.keep(&Handled { result, effects }).await
    }

    fn effects(&self, before: &Before<'_>) -> Effects {
        let flow = &self.env.flow;
        let (old, new): (&Data, &Data) = (&before.draft, &self.draft);
        let names = |at: usize| flow.name(at);
        let states =
            new.states.iter().enumerate().filter(|&(at, state)| {
                !old.states.get(at).is_some_and(|old| Arc::ptr_eq(old, state))
            });
        let transient = new.transient.iter().filter(|(at, state)| {
            !old.transient.get(at).is_some_and(|old| Arc::ptr_eq(old, state))
        });
        let changed = new.memory.iter().filter(|(name, memory)| {
            !old.memory.get(*name).is_some_and(|old| is_same(old, memory))
        });
        let changed = changed.map(|(name, memory)| (Arc::clone(name), Some(memory.clone())));
        let gone = old.memory.keys().filter(|name| !new.memory.contains_key(*name));
        let gone = gone.map(|name| (Arc::clone(name), None));
        let record = &self.record;
        Effects {
            states: states.map(|(at, state)| (names(at), Arc::clone(state))).collect(),
            transient: transient.map(|(&at, state)| (names(at), Arc::clone(state))).collect(),
            memory: changed.chain(gone).collect(),
            is_completed: new.is_completed,
            writes: new.writes.as_ref().map(|writes| Written::of(writes, flow)),
            ahead: new.ahead.iter().map(|&at| names(at)).collect(),
            usage: record.usage.since(&before.usage),
            entries: newer(&record.entries, before.entries),
            moves: newer(&record.moves, before.moves),
            events: newer(&record.events, before.events),
            once: record.once.clone(),
            counts: self.started.counts(),
        }
    }

    fn apply_effects(&mut self, env: &Env, effects: Effects) -> Result<(), TurnError> {
        let flow = &env.flow;
        let data = self.draft.edit();
        for (step, state) in effects.states {
            if let Some(own) = data.states.get_mut(flow.place(&step)?) {
                *own = state;
            }
        }
        for (step, state) in effects.transient {
            data.transient.insert(flow.place(&step)?, state);
        }
        for (namespace, memory) in effects.memory {
            match memory {
                Some(memory) => data.memory.insert(namespace, memory),
                None => data.memory.remove(&namespace),
            };
        }
        data.is_completed = effects.is_completed;
        let ahead = effects.ahead.iter().map(|step| flow.place(step));
        data.ahead = ahead.collect::<Result<_, _>>()?;
        if let Some(written) = effects.writes {
            data.writes = Some(written.into_writes(flow)?);
        }
        let is_child = |event: &&TurnEvent| matches!(event, TurnEvent::ChildStarted { .. });
        let children = effects.events.iter().filter(is_child).count();
        env.invocations.fetch_add(u32::try_from(children).unwrap_or(u32::MAX), Ordering::Relaxed);
        self.absorb(Record {
            usage: effects.usage,
            entries: effects.entries,
            moves: effects.moves,
            events: effects.events,
            once: effects.once,
        });
        self.started.set_counts(effects.counts);
        Ok(())
    }
}

/// Keeps what a model call came to.
pub(super) async fn keep_reply(
    entry: Entry<'_>,
    result: &Result<ModelReply, ModelError>,
) -> Result<(), TurnError> {
    entry.keep(result).await
}

/// Whether nobody changed the namespace: what is not shared any more was written to.
fn is_same(old: &Memory, new: &Memory) -> bool {
    Arc::ptr_eq(&old.messages, &new.messages)
        && old.summary == new.summary
        && old.summarized_through_id == new.summarized_through_id
}

fn newer<T: Clone>(list: &[T], before: usize) -> Vec<T> {
    list.get(before..).unwrap_or_default().to_vec()
}
