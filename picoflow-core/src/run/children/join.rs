//! How the writes of the branches of a batch become one.

use crate::{
    BatchError, BranchId, CompiledFlow, TurnError,
    channel::{Contribution, reduce},
    run::{Draft, Run},
};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

/// A field of a step's state: the step's place and the field's name.
type Field = (usize, String);

/// What became of one field.
enum Change {
    /// A branch replaced or removed it.
    Replaced { by: Arc<BranchId>, value: Option<Value> },
    /// Branches contributed to it, in the order of the request.
    Given(Arc<Contribution>, Vec<Arc<Contribution>>),
}

/// The changes of all branches, to be published together or not at all.
pub(super) struct Join<'a> {
    flow: &'a CompiledFlow,
    changes: Vec<(Field, Change)>,
    /// Steps that began afresh.
    restarted: BTreeSet<usize>,
    /// Where a field's change is in the list.
    places: HashMap<Field, usize>,
}

impl<'a> Join<'a> {
    pub(super) fn new(flow: &'a CompiledFlow) -> Self {
        Self { flow, changes: Vec::new(), restarted: BTreeSet::new(), places: HashMap::new() }
    }

    /// Adds what the next branch in the order of the request did.
    pub(super) fn add(&mut self, branch: &Arc<BranchId>, draft: &Draft) -> Result<(), BatchError> {
        let Some(writes) = &draft.writes else {
            return Ok(());
        };
        self.restarted.extend(&writes.restarted);
        for field in &writes.fields {
            let state = draft.states.get(field.0);
            let value = state.and_then(|state| state.get(&field.1)).cloned();
            let change = Change::Replaced { by: Arc::clone(branch), value };
            self.change(field.clone(), change)?;
        }
        for given in &writes.contributions {
            let change = Change::Given(Arc::clone(given), Vec::new());
            self.change((given.at, given.field.clone()), change)?;
        }
        Ok(())
    }

    fn change(&mut self, field: Field, change: Change) -> Result<(), BatchError> {
        let place = match self.places.entry(field) {
            Entry::Vacant(place) => {
                self.changes.push((place.key().clone(), change));
                place.insert(self.changes.len() - 1);
                return Ok(());
            }
            Entry::Occupied(place) => *place.get(),
        };
        let Some((field, known)) = self.changes.get_mut(place) else {
            return Ok(());
        };
        if let (Change::Given(_, rest), Change::Given(given, _)) = (&mut *known, &change) {
            rest.push(Arc::clone(given));
            return Ok(());
        }
        let reason = match (&*known, &change) {
            (Change::Replaced { .. }, Change::Replaced { .. }) => {
                "declare a channel for it in `Step::state_channels` and write it by `Cx::contribute` alone"
            }
            _ => "a field that is contributed to cannot be written otherwise in the same batch",
        };
        Err(BatchError::Conflict {
            step: self.flow.name(field.0),
            field: field.1.clone(),
            key: None,
            first: known.writer(),
            second: change.writer(),
            reason,
        })
    }

    /// Writes all changes into `draft`, or none. `before` is what the branches began with.
    pub(super) fn publish(self, before: &Draft, draft: &mut Draft) -> Result<(), BatchError> {
        let mut published = Vec::with_capacity(self.changes.len());
        for ((at, field), change) in self.changes {
            let reduced = match &change {
                Change::Replaced { .. } => None,
                Change::Given(first, rest) => {
                    let state = before.states.get(at).filter(|_| !self.restarted.contains(&at));
                    Some(reduce(state.and_then(|state| state.get(&field)), first, rest)?)
                }
            };
            published.push((at, field, change, reduced));
        }
        if published.is_empty() && self.restarted.is_empty() {
            return Ok(());
        }
        let data = draft.edit();
        for at in self.restarted {
            data.restart_state(at);
        }
        for (at, field, change, reduced) in published {
            match change {
                Change::Replaced { value: Some(value), .. } => {
                    data.merge_state(at, Map::from_iter([(field, value)]));
                }
                Change::Replaced { value: None, .. } => {
                    data.remove_state(at, &field);
                }
                Change::Given(first, rest) => {
                    data.set_reduced(at, field, reduced.unwrap_or_default());
                    // For an outer batch they are what this branch contributed.
                    if let Some(writes) = &mut data.writes {
                        writes.contributions.push(first);
                        writes.contributions.extend(rest);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Change {
    fn writer(&self) -> Arc<BranchId> {
        match self {
            Self::Replaced { by, .. } => Arc::clone(by),
            Self::Given(first, _) => Arc::clone(&first.branch),
        }
    }
}

impl Run {
    /// Adds `value` to a field: in a branch, when the batch is joined; otherwise at once.
    pub(crate) fn contribute(
        &mut self,
        at: usize,
        field: &str,
        value: Value,
    ) -> Result<(), TurnError> {
        let env = Arc::clone(&self.env);
        let step = env.step(at)?;
        let misuse = |reason| TurnError::Misuse { step: step.id.clone(), reason };
        let Some(channel) = step.channels.get(field) else {
            return Err(misuse(format!(
                "`contribute` is given the field `{field}`, which has no channel: declare one in `Step::state_channels`"
            )));
        };
        let branch = self.branch.as_ref().map_or_else(
            || Arc::new(BranchId { step: step.id.clone(), key: None, index: 0, parent: None }),
            |own| Arc::clone(&own.id),
        );
        let given = Contribution {
            at,
            step: step.id.clone(),
            field: field.to_owned(),
            channel: channel.clone(),
            branch,
            value,
        };
        let data = self.draft.edit();
        if let Some(writes) = &mut data.writes {
            writes.contributions.push(Arc::new(given));
            return Ok(());
        }
        let before = data.states.get(at).and_then(|state| state.get(field));
        let after = reduce(before, &given, &[]).map_err(|error| misuse(error.to_string()))?;
        data.set_reduced(at, given.field, after);
        Ok(())
    }
}
