//! A naive model of `run_steps`: one child after the other, one value after the other.

use picoflow::prelude::*;
use serde_json::Map;
use std::collections::{BTreeMap, BTreeSet};

/// What a child does.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Save(&'static str, Value),
    Remove(&'static str),
    Give(&'static str, Value),
    Fail,
    Nest(Plan),
}

/// A batch.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) is_atomic: bool,
    pub(super) children: Vec<Vec<Op>>,
}

type State = Map<String, Value>;

/// A value that the child with this path gave a field.
#[derive(Clone, Debug)]
struct Gift {
    field: &'static str,
    path: String,
    value: Value,
}

/// What a batch came to.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) outcomes: Vec<bool>,
    pub(super) state: State,
    written: BTreeSet<&'static str>,
    gifts: Vec<Gift>,
}

/// What a child leaves: what it sees at its end, what it wrote, what it gave.
struct Left {
    state: State,
    written: BTreeSet<&'static str>,
    gifts: Vec<Gift>,
}

impl Plan {
    pub(super) fn keyed(&self) -> impl Iterator<Item = (String, &[Op])> {
        self.children.iter().enumerate().map(|(i, ops)| (format!("c{i}"), &**ops))
    }

    pub(super) fn has_atomic(&self) -> bool {
        let nested = |op: &Op| matches!(op, Op::Nest(plan) if plan.has_atomic());
        self.is_atomic || self.children.iter().flatten().any(nested)
    }

    /// What comes of it on this state, or the codes of all that is wrong with it.
    pub(super) fn run(&self, state: &State, path: &str) -> Result<Joined, Vec<&'static str>> {
        let children = self.keyed().map(|(key, ops)| run(ops, state, &format!("{path}/{key}")));
        let children: Vec<Option<Left>> = children.collect();
        let outcomes: Vec<_> = children.iter().map(Option::is_some).collect();
        if self.is_atomic && outcomes.contains(&false) {
            return Err(vec!["PARALLEL_REJECTED"]);
        }
        let (mut errors, mut after) = (Vec::new(), state.clone());
        let (mut written, mut gifts) = (BTreeSet::new(), Vec::new());
        for child in children.into_iter().flatten() {
            for field in child.written {
                if !written.insert(field) {
                    errors.push("PARALLEL_STATE_CONFLICT");
                }
                match child.state.get(field) {
                    Some(value) => after.insert(field.to_owned(), value.clone()),
                    None => after.shift_remove(field),
                };
            }
            gifts.extend(child.gifts);
        }
        let mut first_givers = BTreeMap::new();
        for gift in &gifts {
            if written.contains(gift.field) {
                errors.push("PARALLEL_STATE_CONFLICT");
                continue;
            }
            let held = after.get(gift.field).cloned().unwrap_or_default();
            match take(held, gift, &mut first_givers) {
                Ok(value) => drop(after.insert(gift.field.to_owned(), value)),
                Err(code) => errors.push(code),
            }
        }
        if errors.is_empty() {
            Ok(Joined { outcomes, state: after, written, gifts })
        } else {
            Err(errors)
        }
    }
}

/// `None` if the child fails.
fn run(ops: &[Op], state: &State, path: &str) -> Option<Left> {
    let mut left = Left { state: state.clone(), written: BTreeSet::new(), gifts: Vec::new() };
    for op in ops {
        match op {
            Op::Save(field, value) => {
                left.state.insert((*field).to_owned(), value.clone());
                left.written.insert(field);
            }
            Op::Remove(field) => {
                left.state.shift_remove(*field);
                left.written.insert(field);
            }
            Op::Give(field, value) => {
                left.gifts.push(Gift { field, path: path.to_owned(), value: value.clone() });
            }
            Op::Fail => return None,
            Op::Nest(plan) => {
                let joined = plan.run(&left.state, path).ok()?;
                left.state = joined.state;
                left.written.extend(joined.written);
                left.gifts.extend(joined.gifts);
            }
        }
    }
    Some(left)
}

const REFUSED: &str = "PARALLEL_CONTRIBUTION";
const CONFLICT: &str = "PARALLEL_STATE_CONFLICT";

/// The field with one more value. `givers` knows who gave what first in this batch.
fn take<'a>(
    held: Value,
    gift: &'a Gift,
    givers: &mut BTreeMap<(&'a str, String), &'a str>,
) -> Result<Value, &'static str> {
    let mut is_first_giver = |key: &str| {
        let first = *givers.entry((gift.field, key.to_owned())).or_insert(&gift.path);
        first == gift.path
    };
    let value = gift.value.clone();
    Ok(match gift.field {
        "only" if is_first_giver("") => value,
        "only" => return Err(CONFLICT),
        "total" => match (held.as_i64().or_else(|| held.is_null().then_some(0)), value.as_i64()) {
            (Some(held), Some(value)) => json!(held + value),
            _ => json!(held.as_f64().unwrap_or(0.0) + value.as_f64().ok_or(REFUSED)?),
        },
        "items" => with(&held, value),
        "unique" => {
            let id = value.get("id").ok_or(REFUSED)?;
            let is_known =
                held.as_array().is_some_and(|list| list.iter().any(|it| it["id"] == *id));
            if is_known { held } else { with(&held, value) }
        }
        "keyed" => {
            let key = gift.path.rsplit('/').next().unwrap_or_default();
            if !is_first_giver(key) {
                return Err(CONFLICT);
            }
            put(&held, key, value)
        }
        "record" => {
            let mut held = held;
            for (key, value) in value.as_object().ok_or(REFUSED)? {
                if !is_first_giver(key) && held[key] != *value {
                    return Err(CONFLICT);
                }
                held = put(&held, key, value.clone());
            }
            held
        }
        "chain" => match value.as_str().ok_or(REFUSED)? {
            "no" => return Err("PARALLEL_REDUCER"),
            link => json!(format!("{}{link}", held.as_str().unwrap_or_default())),
        },
        other => panic!("no channel for {other}"),
    })
}

fn with(list: &Value, item: Value) -> Value {
    let mut list = list.as_array().cloned().unwrap_or_default();
    list.push(item);
    list.into()
}

fn put(record: &Value, key: &str, value: Value) -> Value {
    let mut record = record.as_object().cloned().unwrap_or_default();
    record.insert(key.to_owned(), value);
    record.into()
}
