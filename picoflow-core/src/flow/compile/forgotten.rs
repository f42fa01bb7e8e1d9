//! Methods that look like tools and that no call reaches.

use super::members::{Member, MemberKind};
use crate::flow::{BuildReport, BuildWarning, CompiledStep, Route, ToolHandler};

/// Warns of each documented method with the shape of a handler that no other method of its block calls, and that no
/// step with this method reaches.
pub(super) fn report(
    steps: &[CompiledStep],
    chains: &[Vec<Member>],
    flow: &Member,
    report: &mut BuildReport,
) {
    for member in chains.iter().flatten().chain([flow]) {
        let meant = member.table.plain.iter();
        let meant = meant
            .filter(|row| row.fault.is_none() && row.is_documented && !row.is_called)
            .map(|row| row.method);
        for method in meant.filter(|method| !is_reached(method, member, steps, chains)) {
            let warning = BuildWarning::ForgottenAttribute { owner: member.name(), method };
            // A base under several steps says it once.
            if !report.warnings.contains(&warning) {
                report.warnings.push(warning);
            }
        }
    }
}

/// Whether a step that has the member in its chain offers a tool of this name, or runs a method of this name.
fn is_reached(
    method: &str,
    member: &Member,
    steps: &[CompiledStep],
    chains: &[Vec<Member>],
) -> bool {
    let has_member = |chain: &[Member]| {
        matches!(member.kind, MemberKind::Flow)
            || chain.iter().any(|other| other.type_path == member.type_path)
    };
    let is_it = |route: &Route| route.method == method;
    steps.iter().zip(chains).filter(|(_, chain)| has_member(chain)).any(|(step, _)| {
        step.tools.contains_key(method)
            || step.groups.values().any(is_it)
            || step.tools.values().any(
                |tool| matches!(&tool.handler, Some(ToolHandler::Method(route)) if is_it(route)),
            )
    })
}
