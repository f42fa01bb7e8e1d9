//! Steps by their names, those that they had before included.

use crate::{
    FlowId, StepId,
    flow::{BuildFault, BuildReport, CompiledStep},
};
use std::collections::{HashMap, hash_map::Entry};

/// Reports each former name that is a name of another step, or no name.
pub(super) fn index(
    flow: &FlowId,
    steps: &[CompiledStep],
    report: &mut BuildReport,
) -> HashMap<StepId, usize> {
    let own = steps.iter().map(|step| &step.id);
    let mut index: HashMap<_, _> = own.cloned().zip(0..).collect();
    for (at, step) in steps.iter().enumerate() {
        for alias in &step.aliases {
            let mut fault = |other: Option<&CompiledStep>| {
                report.faults.push(BuildFault::Alias {
                    flow: flow.clone(),
                    step: step.id.clone(),
                    alias: alias.clone(),
                    other: other.map(|other| other.id.clone()),
                });
            };
            match index.entry(alias.clone()) {
                _ if alias.as_str().trim().is_empty() => fault(None),
                Entry::Occupied(other) => fault(steps.get(*other.get())),
                Entry::Vacant(place) => {
                    place.insert(at);
                }
            }
        }
    }
    index
}
