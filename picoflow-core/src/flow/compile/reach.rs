//! Steps that nobody goes to, and targets that are no steps.

use super::members::{Member, MemberKind, short_name};
use crate::{
    FlowId, StepId,
    flow::{BuildReport, BuildWarning, CompiledStep},
    step::TerminateSessionStep,
    tool::table::{Reference, Target},
};

pub(super) fn check(
    flow_id: &FlowId,
    steps: &[CompiledStep],
    chains: &[Vec<Member>],
    flow: &Member,
    report: &mut BuildReport,
) {
    let members = || chains.iter().flatten().chain(std::iter::once(flow));
    let is_step = |reference: &Reference| {
        let is = |step: &CompiledStep| {
            let name = short_name(step.step.dyn_type_path());
            reference.target.is(&step.id, name)
        };
        steps.iter().position(is)
    };
    let mut reached = vec![false; steps.len()];
    for member in members() {
        for reference in &member.table.references {
            match (is_step(reference), &member.kind) {
                (Some(at), _) => {
                    if let Some(reached) = reached.get_mut(at) {
                        *reached = true;
                    }
                }
                (None, MemberKind::Step(step)) if reference.routes => {
                    let warning = unknown(flow_id, step, reference);
                    // A base under several steps says it once for each step that is named.
                    if !report.warnings.contains(&warning) {
                        report.warnings.push(warning);
                    }
                }
                _ => {}
            }
        }
    }
    // A body that no macro has read may go anywhere.
    let own = std::any::type_name::<TerminateSessionStep>();
    let is_known = |member: &Member| member.table.is_annotated || member.type_path == own;
    if !members().all(is_known) {
        return;
    }
    for (step, reached) in steps.iter().zip(&reached).skip(1) {
        if !reached {
            report.warnings.push(BuildWarning::NeverReached {
                flow: flow_id.clone(),
                step: step.id.clone(),
            });
        }
    }
}

fn unknown(flow: &FlowId, step: &StepId, reference: &Reference) -> BuildWarning {
    BuildWarning::UnknownTarget {
        flow: flow.clone(),
        step: step.clone(),
        method: reference.method,
        target: match reference.target {
            Target::Type(name) | Target::Id(name) => name.to_owned(),
        },
    }
}
