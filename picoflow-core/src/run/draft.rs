//! The copy of a session that a turn works on.
//!
//! Copies are cheap: everything large is shared until it is written. So a turn starts from the stored document
//! without copying its history, a handler that fails is undone by putting the copy from before it back, and each
//! branch of a `run_steps` has one of its own.

use crate::{
    ContentType,
    channel::Contribution,
    flow::CompiledFlow,
    session::{Memory, Message, Session, empty_object},
};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

#[derive(Clone)]
pub(crate) struct Draft(Arc<Data>);

/// States and the like are by the step's place in the compiled flow.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) states: Vec<Arc<Value>>,
    pub(crate) transient: BTreeMap<usize, Arc<Value>>,
    /// What transitions gave steps in place of their own prompts.
    pub(crate) prompts: BTreeMap<usize, Arc<str>>,
    /// Steps that forget their state on entry, and were written to before it.
    pub(crate) ahead: BTreeSet<usize>,
    pub(crate) memory: BTreeMap<Arc<str>, Memory>,
    pub(crate) content_types: BTreeMap<usize, ContentType>,
    pub(crate) current: usize,
    pub(crate) is_completed: bool,
    /// What a branch of `run_steps` did to the states; `None` for the turn itself.
    pub(crate) writes: Option<Writes>,
}

/// What a branch did to the states, for its join. What its handlers write and undo is undone here too.
#[derive(Clone, Default)]
pub(crate) struct Writes {
    /// Steps that began afresh, so that nothing is left of what the batch began with.
    pub(crate) restarted: BTreeSet<usize>,
    /// Fields that were replaced or removed, by step.
    pub(crate) fields: BTreeSet<(usize, String)>,
    /// What was contributed, in order, also by children of the branch.
    pub(crate) contributions: Vec<Arc<Contribution>>,
}

/// The key of a stored state in which a transition's prompt is kept, as in the reference product. No state that code
/// sees has it.
pub(crate) const PROMPT_KEY: &str = "_prompt";

impl Draft {
    /// A new session that begins at `current`.
    pub(crate) fn new(flow: &CompiledFlow, current: usize) -> Self {
        Self(Arc::new(Data {
            states: vec![empty_object(); flow.steps.len()],
            transient: BTreeMap::new(),
            prompts: BTreeMap::new(),
            ahead: BTreeSet::new(),
            memory: BTreeMap::new(),
            content_types: BTreeMap::new(),
            current,
            is_completed: false,
            writes: None,
        }))
    }

    /// A stored session at its step `current`.
    pub(crate) fn of(session: &Session, flow: &CompiledFlow, current: usize) -> Self {
        let mut draft = Self::new(flow, current);
        let data = draft.edit();
        data.memory.clone_from(&session.flow.memory);
        for stored in &session.flow.steps {
            // By its present name: what is left under a former one is nobody's any more.
            let place = flow.index.get(&stored.name).copied();
            let place = place.filter(|&at| flow.name(at) == stored.name);
            let Some((at, state)) = place.and_then(|at| Some((at, data.states.get_mut(at)?)))
            else {
                continue;
            };
            *state = Arc::clone(&stored.state);
            if stored.state.get(PROMPT_KEY).is_some() {
                let map = Arc::make_mut(state).as_object_mut();
                if let Some(Value::String(prompt)) =
                    map.and_then(|map| map.shift_remove(PROMPT_KEY))
                {
                    data.prompts.insert(at, prompt.into());
                }
            }
        }
        draft
    }

    pub(crate) fn edit(&mut self) -> &mut Data {
        Arc::make_mut(&mut self.0)
    }

    /// A step's state as it is stored.
    pub(crate) fn stored_state(&self, at: usize) -> Option<Arc<Value>> {
        let state = self.states.get(at)?;
        let Some(prompt) = self.prompts.get(&at) else {
            return Some(Arc::clone(state));
        };
        let entry = (PROMPT_KEY.to_owned(), Value::from(&**prompt));
        let mut state = Arc::clone(state);
        merge(&mut state, Map::from_iter([entry]));
        Some(state)
    }
}

impl std::ops::Deref for Draft {
    type Target = Data;

    fn deref(&self) -> &Data {
        &self.0
    }
}

impl Data {
    /// The messages of a namespace, which begins to exist here.
    pub(crate) fn messages(&mut self, namespace: &Arc<str>) -> &mut Vec<Arc<Message>> {
        let memory = self.memory.entry(Arc::clone(namespace)).or_default();
        Arc::make_mut(&mut memory.messages)
    }

    /// Replaces each top-level key of `state` in the step's durable state.
    pub(crate) fn merge_state(&mut self, at: usize, state: Map<String, Value>) {
        if let Some(writes) = &mut self.writes {
            writes.fields.extend(state.keys().map(|key| (at, key.clone())));
        }
        if let Some(own) = self.states.get_mut(at) {
            merge(own, state);
        }
    }

    /// Puts a field in place that was made of contributions: it counts as theirs and not as written.
    pub(crate) fn set_reduced(&mut self, at: usize, field: String, value: Value) {
        if let Some(own) = self.states.get_mut(at) {
            merge(own, Map::from_iter([(field, value)]));
        }
    }

    /// The same for what lives as long as the turn.
    pub(crate) fn merge_transient(&mut self, at: usize, state: Map<String, Value>) {
        merge(self.transient.entry(at).or_insert_with(empty_object), state);
    }

    /// Forgets the step's state, durable and transient. Says whether something was lost that was written for this entry.
    pub(crate) fn restart(&mut self, at: usize) -> bool {
        self.restart_state(at);
        if let Some(own) = self.transient.get_mut(&at) {
            *own = empty_object();
        }
        self.ahead.remove(&at)
    }

    /// The same for the durable state alone.
    pub(crate) fn restart_state(&mut self, at: usize) {
        if let Some(own) = self.states.get_mut(at) {
            *own = empty_object();
        }
        if let Some(writes) = &mut self.writes {
            writes.restart(at);
        }
    }

    pub(crate) fn remove_state(&mut self, at: usize, key: &str) -> Option<Value> {
        // Also if it is not there: who wants it gone and who writes it do not agree.
        if let Some(writes) = &mut self.writes {
            writes.fields.insert((at, key.to_owned()));
        }
        let own = self.states.get_mut(at)?;
        own.get(key)?;
        Arc::make_mut(own).as_object_mut()?.shift_remove(key)
    }
}

impl Writes {
    /// The step begins afresh: nothing counts that was written before.
    pub(crate) fn restart(&mut self, at: usize) {
        self.restarted.insert(at);
        self.fields.retain(|(step, _)| *step != at);
        self.contributions.retain(|given| given.at != at);
    }
}

fn merge(own: &mut Arc<Value>, new: Map<String, Value>) {
    match Arc::make_mut(own) {
        Value::Object(map) => map.extend(new),
        other => *other = Value::Object(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_given_key_replaces_that_key_and_no_other() {
        let mut own = Arc::new(json!({ "a": { "x": 1, "y": 2 }, "b": 1 }));
        let before = Arc::clone(&own);
        let Value::Object(new) = json!({ "a": { "x": 3 }, "c": 4 }) else {
            return;
        };
        merge(&mut own, new);
        assert_eq!(*own, json!({ "a": { "x": 3 }, "b": 1, "c": 4 }));
        assert_eq!(before["a"]["y"], 2);
    }
}
