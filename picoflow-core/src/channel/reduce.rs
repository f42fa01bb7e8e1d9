//! The channels at work.

use super::{Channel, Fault, Kind, Reducer};
use crate::{
    BatchError, BranchId, StepId,
    run::panic_text,
    storable::{MOST_NESTING, is_too_deep_for_a_field},
};
use serde_json::{Map, Number, Value, map::Entry};
use std::{
    collections::{HashMap, HashSet},
    iter,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// One value that a child gave a field.
pub(crate) struct Contribution {
    /// The step whose field it is, by its place in the flow.
    pub(crate) at: usize,
    pub(crate) step: StepId,
    pub(crate) field: String,
    pub(crate) channel: Channel,
    pub(crate) branch: Arc<BranchId>,
    pub(crate) value: Value,
}

/// The new value of a field: what it holds and all that was contributed to it, in that order.
pub(crate) fn reduce(
    before: Option<&Value>,
    first: &Contribution,
    rest: &[Arc<Contribution>],
) -> Result<Value, BatchError> {
    let given: Vec<_> = iter::once(first).chain(rest.iter().map(|given| &**given)).collect();
    let place = Place { step: &first.step, field: &first.field, channel: &first.channel };
    place.reduce(before.filter(|before| !before.is_null()), &given)
}

/// A field with its channel.
#[derive(Clone, Copy)]
struct Place<'a> {
    step: &'a StepId,
    field: &'a str,
    channel: &'a Channel,
}

impl Place<'_> {
    fn reduce(self, before: Option<&Value>, given: &[&Contribution]) -> Result<Value, BatchError> {
        let after = match &self.channel.0 {
            Kind::SingleWriter => self.single_writer(given),
            Kind::Sum => self.sum(before, given),
            Kind::Append => self.append(before, given),
            Kind::AppendUniqueBy(field) => self.append_unique_by(field, before, given),
            Kind::KeyedByBranch => self.keyed_by_branch(before, given),
            Kind::MergeRecord => self.merge_record(before, given),
            Kind::Reduced(reducer) => self.reduced(&**reducer, before, given),
        }?;
        match given.last() {
            Some(last) if is_too_deep_for_a_field(&after) => Err(self.refused(
                last,
                format!(
                    "would hold JSON of more than {MOST_NESTING} levels, which cannot be stored"
                ),
            )),
            _ => Ok(after),
        }
    }

    fn single_writer(self, given: &[&Contribution]) -> Result<Value, BatchError> {
        let [first, .., last] = given else {
            return Ok(given.first().map_or(Value::Null, |only| only.value.clone()));
        };
        match given.iter().find(|other| other.branch != first.branch) {
            Some(second) => Err(self.conflict(
                None,
                [&first.branch, &second.branch],
                "channel `single_writer` takes the values of one child",
            )),
            None => Ok(last.value.clone()),
        }
    }

    fn sum(self, before: Option<&Value>, given: &[&Contribution]) -> Result<Value, BatchError> {
        let before = match before {
            Some(Value::Number(number)) => number.clone(),
            Some(other) => return Err(self.unfit("adds to a number", other)),
            None => Number::from(0),
        };
        let mut numbers = Vec::with_capacity(given.len());
        for &given in given {
            match &given.value {
                Value::Number(number) => numbers.push((given, number)),
                other => {
                    return Err(self.refused(given, format!("takes a number, not {}", kind(other))));
                }
            }
        }
        let too_large = |at| self.refused(at, "has a sum that no JSON number holds".to_owned());
        let whole = |number: &Number| number.as_i128();
        let is_whole = numbers.iter().all(|(_, number)| whole(number).is_some());
        if let Some(mut sum) = whole(&before).filter(|_| is_whole) {
            for (_, number) in &numbers {
                // No list is so long that 64-bit numbers pass 128 bits.
                sum = sum.saturating_add(whole(number).unwrap_or_default());
            }
            let last = numbers.last().map(|&(last, _)| last);
            return match (Number::from_i128(sum), last) {
                (Some(sum), _) => Ok(Value::Number(sum)),
                (None, Some(last)) => Err(too_large(last)),
                (None, None) => Ok(Value::Number(before)),
            };
        }
        let mut sum = before.as_f64().unwrap_or_default();
        for (given, number) in numbers {
            sum += number.as_f64().unwrap_or_default();
            if !sum.is_finite() {
                return Err(too_large(given));
            }
        }
        Ok(Value::from(sum))
    }

    fn append(self, before: Option<&Value>, given: &[&Contribution]) -> Result<Value, BatchError> {
        let mut list = self.list(before)?;
        list.extend(given.iter().map(|given| given.value.clone()));
        Ok(Value::Array(list))
    }

    fn append_unique_by(
        self,
        field: &str,
        before: Option<&Value>,
        given: &[&Contribution],
    ) -> Result<Value, BatchError> {
        let mut list = self.list(before)?;
        let mut known: HashSet<Value> =
            list.iter().filter_map(|item| item.get(field)).cloned().collect();
        for &given in given {
            let Some(key) = given.value.get(field) else {
                let found = match &given.value {
                    Value::Object(_) => "one without",
                    other => kind(other),
                };
                let reason = format!("takes an object with the field `{field}`, not {found}");
                return Err(self.refused(given, reason));
            };
            if known.insert(key.clone()) {
                list.push(given.value.clone());
            }
        }
        Ok(Value::Array(list))
    }

    fn keyed_by_branch(
        self,
        before: Option<&Value>,
        given: &[&Contribution],
    ) -> Result<Value, BatchError> {
        let mut record = self.record(before)?;
        let mut writers: HashMap<&str, &Arc<BranchId>> = HashMap::new();
        for &Contribution { branch, value, .. } in given {
            let key = branch.key.as_deref().unwrap_or(branch.step.as_str());
            let first = *writers.entry(key).or_insert(branch);
            if first != branch {
                return Err(self.conflict(
                    Some(key),
                    [first, branch],
                    "channel `keyed_by_branch` takes the values of one child under one key",
                ));
            }
            record.insert(key.to_owned(), value.clone());
        }
        Ok(Value::Object(record))
    }

    fn merge_record(
        self,
        before: Option<&Value>,
        given: &[&Contribution],
    ) -> Result<Value, BatchError> {
        let mut record = self.record(before)?;
        let mut writers: HashMap<&str, &Arc<BranchId>> = HashMap::new();
        for &given in given {
            let Value::Object(new) = &given.value else {
                let reason = format!("takes an object, not {}", kind(&given.value));
                return Err(self.refused(given, reason));
            };
            for (key, value) in new {
                let first = *writers.entry(key).or_insert(&given.branch);
                match record.entry(key.as_str()) {
                    Entry::Occupied(known) if first != &given.branch && known.get() != value => {
                        return Err(self.conflict(
                            Some(key),
                            [first, &given.branch],
                            "channel `merge_record` takes different values of one child alone",
                        ));
                    }
                    Entry::Occupied(mut known) => {
                        known.insert(value.clone());
                    }
                    Entry::Vacant(place) => {
                        place.insert(value.clone());
                    }
                }
            }
        }
        Ok(Value::Object(record))
    }

    fn reduced(
        self,
        reducer: &Reducer,
        before: Option<&Value>,
        given: &[&Contribution],
    ) -> Result<Value, BatchError> {
        let mut held = before.cloned();
        for &given in given {
            let once = || reducer(held.as_ref(), &given.value);
            let result = catch_unwind(AssertUnwindSafe(once)).map_err(|panic| {
                BatchError::ReducerPanicked {
                    step: self.step.clone(),
                    field: self.field.to_owned(),
                    branch: Arc::clone(&given.branch),
                    message: panic_text(panic),
                }
            })?;
            held = Some(result.map_err(|fault| self.fault(given, fault))?);
        }
        Ok(held.unwrap_or_default())
    }

    /// The field as an array.
    fn list(self, before: Option<&Value>) -> Result<Vec<Value>, BatchError> {
        match before {
            Some(Value::Array(list)) => Ok(list.clone()),
            Some(other) => Err(self.unfit("adds to an array", other)),
            None => Ok(Vec::new()),
        }
    }

    /// The field as an object.
    fn record(self, before: Option<&Value>) -> Result<Map<String, Value>, BatchError> {
        match before {
            Some(Value::Object(record)) => Ok(record.clone()),
            Some(other) => Err(self.unfit("writes into an object", other)),
            None => Ok(Map::new()),
        }
    }

    fn fault(self, given: &Contribution, fault: Fault) -> BatchError {
        match fault {
            Fault::State(error) => self.state(format!("cannot read what is there: {error}")),
            Fault::Contribution(error) => {
                self.refused(given, format!("cannot read the value: {error}"))
            }
            Fault::Failed(source) => BatchError::Reducer {
                step: self.step.clone(),
                field: self.field.to_owned(),
                branch: Arc::clone(&given.branch),
                source,
            },
        }
    }

    fn unfit(self, needs: &str, found: &Value) -> BatchError {
        self.state(format!("{needs}, and finds {}", kind(found)))
    }

    fn state(self, reason: String) -> BatchError {
        BatchError::State {
            step: self.step.clone(),
            field: self.field.to_owned(),
            channel: self.channel.name(),
            reason,
        }
    }

    fn refused(self, given: &Contribution, reason: String) -> BatchError {
        BatchError::Contribution {
            step: self.step.clone(),
            field: self.field.to_owned(),
            channel: self.channel.name(),
            branch: Arc::clone(&given.branch),
            reason,
        }
    }

    fn conflict(
        self,
        key: Option<&str>,
        [first, second]: [&Arc<BranchId>; 2],
        reason: &'static str,
    ) -> BatchError {
        BatchError::Conflict {
            step: self.step.clone(),
            field: self.field.to_owned(),
            key: key.map(str::to_owned),
            first: Arc::clone(first),
            second: Arc::clone(second),
            reason,
        }
    }
}

/// What a value is, for whoever expected something else.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
