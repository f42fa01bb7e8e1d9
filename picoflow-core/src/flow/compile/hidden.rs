//! Names that `hide_tools` says by literals.

use super::members::{Member, MemberKind};
use crate::{
    StepId, ToolDefinition,
    flow::{BuildReport, BuildWarning, CompiledStep},
    similar::most_like,
    tool::table::{Purpose, Target},
};
use std::collections::BTreeMap;

/// Warns of names that no step exposes to which the hook belongs: that of a base may be for some of the steps on it.
pub(super) fn check(steps: &[CompiledStep], chains: &[Vec<Member>], report: &mut BuildReport) {
    let mut hooks: BTreeMap<&str, (&Member, Vec<&CompiledStep>)> = BTreeMap::new();
    let mut order = Vec::new();
    for (step, chain) in steps.iter().zip(chains).filter(|(step, _)| !step.is_logic) {
        let nearest = chain.iter().find(|member| member.table.hooks.contains(&"hide_tools"));
        if let Some(member) = nearest {
            order.push(member.type_path);
            hooks.entry(member.type_path).or_insert_with(|| (member, Vec::new())).1.push(step);
        }
    }
    for (member, steps) in order.into_iter().filter_map(|hook| hooks.remove(hook)) {
        let MemberKind::Step(owner) = &member.kind else {
            continue;
        };
        check_hook(owner, member, &steps, report);
    }
}

fn check_hook(owner: &StepId, hook: &Member, steps: &[&CompiledStep], report: &mut BuildReport) {
    let named = hook.table.references.iter().filter_map(|named| match named.target {
        Target::Id(tool) if named.purpose == Purpose::Hide => Some(tool),
        _ => None,
    });
    for tool in named.filter(|tool| !steps.iter().any(|step| step.tools.contains_key(*tool))) {
        let exposed = steps.iter().flat_map(|step| step.tools().map(ToolDefinition::name));
        report.warnings.push(BuildWarning::HiddenTool {
            step: owner.clone(),
            tool: tool.to_owned(),
            nearest: most_like(tool, exposed).map(str::to_owned),
        });
    }
}
