//! What the branches of a batch did to the states.

use crate::{
    ChildError, StepId,
    run::{Draft, Env},
};
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};

/// What branches did to the states: for each step and top-level key the new value, or that it is gone.
#[derive(Default)]
pub(super) struct Changes(HashMap<(usize, String), Option<Value>>);

impl Changes {
    /// Adds what changed from `before` to `after`.
    pub(super) fn collect(
        &mut self,
        env: &Env,
        before: &Draft,
        after: &Draft,
    ) -> Result<(), ChildError> {
        let states = before.states.iter().zip(&after.states).enumerate();
        for (at, (before, after)) in
            states.filter(|(_, (before, after))| !Arc::ptr_eq(before, after))
        {
            for (key, value) in difference(before, after) {
                if self.0.insert((at, key.clone()), value).is_some() {
                    let step = env.flow.steps.get(at).map_or("", |step| step.id.as_str());
                    return Err(ChildError::new(
                        &StepId::from(step.to_owned()),
                        "PARALLEL_STATE_CONFLICT",
                        format!(
                            "two children wrote the field `{key}` of its state: nothing of this batch was kept"
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    pub(super) fn publish(self, draft: &mut Draft) {
        if self.0.is_empty() {
            return;
        }
        let data = draft.edit();
        for ((at, key), value) in self.0 {
            match value {
                Some(value) => data.merge_state(at, Map::from_iter([(key, value)])),
                None => {
                    data.remove_state(at, &key);
                }
            }
        }
    }
}

fn difference(before: &Value, after: &Value) -> Vec<(String, Option<Value>)> {
    let empty = Map::new();
    let before = before.as_object().unwrap_or(&empty);
    let after = after.as_object().unwrap_or(&empty);
    let changed = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    changed
        .map(|(key, value)| (key.clone(), Some(value.clone())))
        .chain(gone.map(|key| (key.clone(), None)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_names_what_is_new_changed_and_gone() {
        let before = json!({ "same": 1, "other": 1, "gone": 1 });
        let after = json!({ "same": 1, "other": 2, "new": 3 });
        assert_eq!(
            difference(&before, &after),
            [
                ("other".to_owned(), Some(json!(2))),
                ("new".to_owned(), Some(json!(3))),
                ("gone".to_owned(), None),
            ]
        );
    }
}
