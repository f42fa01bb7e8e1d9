//! What keeps each namespace short.

use super::check_model;
use crate::{
    OnEntry, StepEntry,
    flow::{BuildFault, BuildReport, CompiledCompaction, CompiledStep},
    model::ModelRef,
};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

/// Reports settings that cannot be used, and steps of one namespace that do not ask for the same.
pub(super) fn by_namespace(
    entries: &[StepEntry],
    steps: &[CompiledStep],
    flow_model: &ModelRef,
    report: &mut BuildReport,
) -> BTreeMap<Arc<str>, CompiledCompaction> {
    let mut first: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
    let mut compactions = BTreeMap::new();
    // A logic step says nothing, whatever namespace it has.
    let talking = entries.iter().zip(steps).enumerate().filter(|(_, (entry, _))| !entry.is_logic);
    for (at, (entry, step)) in talking {
        let known = match first.entry(&step.namespace) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => *place.insert(at),
        };
        if let (Some(other), Some(other_step)) = (entries.get(known), steps.get(known))
            && other.compaction != entry.compaction
        {
            report.faults.push(BuildFault::Compactions {
                namespace: step.namespace.to_string(),
                first: other_step.id.clone(),
                second: step.id.clone(),
            });
        }
        let Some(settings) = entry.compaction.as_ref().filter(|_| known == at) else {
            continue;
        };
        if let Some(reason) = settings.fault() {
            report.faults.push(BuildFault::Compaction { step: step.id.clone(), reason });
        }
        let own = settings.model.as_ref();
        if let Some(model) = own {
            check_model(model, format!("the compaction of step `{}`", step.id), report);
        }
        let model = own.map_or_else(|| flow_model.clone(), |model| model.inherit(flow_model));
        let compaction = CompiledCompaction { at, model, settings: settings.clone() };
        compactions.insert(Arc::clone(&step.namespace), compaction);
    }
    let sums_up = steps.iter().filter(|step| step.on_entry == OnEntry::Summarise);
    let cannot = sums_up.filter(|step| !compactions.contains_key(&step.namespace));
    let faults = cannot.map(|step| BuildFault::NoCompaction { step: step.id.clone() });
    report.faults.extend(faults);
    compactions
}
