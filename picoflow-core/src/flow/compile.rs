//! From a flow as written to a flow as run. Finds every fault, not the first.

mod aliases;
mod compaction;
mod dispatch;
mod forgotten;
mod hidden;
mod members;
mod reach;
mod registry;
mod schema;

use super::{AnyFlow, BuildFault, BuildReport, CompiledFlow, CompiledStep};
use crate::{AnyStep, Channel, StepEntry, model::ModelRef, run::PROMPT_KEY};
use members::Member;
use registry::Registry;
use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, OnceLock},
};

/// The longest chain of bases.
const MOST_BASES: usize = 32;

/// Compiles `flow`. The result is fit for use only if its report has no fault.
pub(crate) fn compile(flow: Arc<dyn AnyFlow>) -> CompiledFlow {
    let mut report = BuildReport::default();
    let id = flow.id();
    check_name(id.as_str(), flow.type_path(), &mut report);
    let model = flow.model();
    check_model(&model, format!("flow `{id}`"), &mut report);
    let limits = flow.limits();
    let flow_member = Member::of_flow(&*flow);

    let entries = usable_steps(&*flow, &mut report);
    let chains: Vec<Vec<Member>> =
        entries.iter().map(|entry| members::chain(&*entry.step)).collect();
    let registry = Registry::collect(&id, &chains, &flow_member, &mut report);

    let mut steps = Vec::with_capacity(entries.len());
    for (entry, chain) in entries.iter().zip(&chains) {
        let tools = if entry.is_logic {
            dispatch::StepTools::default()
        } else {
            dispatch::step_tools(
                &id,
                &*entry.step,
                chain,
                &flow_member,
                &registry,
                entry.model.as_ref().is_some_and(ModelRef::is_strict)
                    || entry.model.as_ref().is_none_or(|own| own.is_same(&model))
                        && model.is_strict(),
                &mut report,
            )
        };
        steps.push(compile_step(entry, tools, &model, limits, &mut report));
    }
    hidden::check(&steps, &chains, &mut report);
    registry.report_never_exposed(&id, &steps, &mut report);
    forgotten::report(&steps, &chains, &flow_member, &mut report);
    let index = aliases::index(&id, &steps, &mut report);
    let compactions = compaction::by_namespace(&entries, &steps, &model, &mut report);
    let links = reach::links(&id, &steps, &chains, &flow_member, &mut report);
    CompiledFlow {
        version: flow.version(),
        index,
        compactions,
        id,
        model,
        limits,
        steps,
        flow,
        edges: links.edges,
        entries: links.entries,
        report,
    }
}

fn usable_steps(flow: &dyn AnyFlow, report: &mut BuildReport) -> Vec<StepEntry> {
    let mut seen = HashSet::new();
    let mut entries = flow.steps().0;
    if entries.is_empty() {
        report.faults.push(BuildFault::NoSteps { flow: flow.id() });
    }
    entries.retain(|entry| {
        let step = entry.step.dyn_id();
        if !members::has_an_end(&*entry.step) {
            report.faults.push(BuildFault::BaseChain { step, limit: MOST_BASES });
            return false;
        }
        check_name(step.as_str(), entry.step.dyn_type_path(), report);
        let is_new = seen.insert(step.clone());
        if !is_new {
            report.faults.push(BuildFault::DuplicateStep { flow: flow.id(), step });
        }
        is_new
    });
    entries
}

fn compile_step(
    entry: &StepEntry,
    tools: dispatch::StepTools,
    flow_model: &ModelRef,
    flow_limits: crate::Limits,
    report: &mut BuildReport,
) -> CompiledStep {
    let id = entry.step.dyn_id();
    let namespace = entry.namespace.as_deref().unwrap_or(id.as_str());
    // A step's own name always makes a namespace; a name that the user gives has to be one.
    if entry.namespace.is_some() && !is_namespace(namespace) {
        report
            .faults
            .push(BuildFault::Namespace { step: id.clone(), namespace: namespace.to_owned() });
    }
    let model = match &entry.model {
        Some(model) => {
            check_model(model, format!("step `{id}`"), report);
            model.inherit(flow_model)
        }
        None => flow_model.clone(),
    };
    CompiledStep {
        namespace: Arc::from(namespace),
        has_own_namespace: entry.namespace.is_none(),
        aliases: entry.aliases.clone(),
        on_entry: entry.on_entry,
        step: Arc::clone(&entry.step),
        is_logic: entry.is_logic,
        model,
        limits: entry.step.dyn_limits(flow_limits),
        offered: tools.offered.into(),
        told_otherwise: OnceLock::new(),
        tools: tools.tools,
        groups: tools.groups,
        channels: channels(&*entry.step, report),
        id,
    }
}

fn channels(step: &dyn AnyStep, report: &mut BuildReport) -> BTreeMap<String, Channel> {
    let mut channels = BTreeMap::new();
    for (field, channel) in step.dyn_state_channels().0 {
        let mut fault = |reason| {
            let (step, field) = (step.dyn_id(), field.to_string());
            report.faults.push(BuildFault::Channel { step, field, reason });
        };
        if field.trim().is_empty() || field == PROMPT_KEY {
            fault("which is no field of a step's own");
        }
        if channels.insert(field.to_string(), channel).is_some() {
            fault("which has one already");
        }
    }
    channels
}

fn check_name(name: &str, type_path: &str, report: &mut BuildReport) {
    if name.trim().is_empty() {
        report.faults.push(BuildFault::BlankName { what: format!("`{type_path}`") });
    }
}

fn check_model(model: &ModelRef, owner: String, report: &mut BuildReport) {
    if let Some(reason) = model.fault() {
        report.faults.push(BuildFault::Model { owner, reason });
    }
}

/// The reference product's rule for namespaces.
fn is_namespace(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !["__proto__", "constructor", "prototype"].contains(&name)
}

/// Rows by tool, for whoever looks one up.
type ByName<T> = BTreeMap<String, T>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_begin_with_a_letter() {
        for good in ["default", "a-b_c9"] {
            assert!(is_namespace(good), "{good}");
        }
        for bad in ["", "9a", "a b", "ä", "prototype", &"a".repeat(129)] {
            assert!(!is_namespace(bad), "{bad}");
        }
    }
}
