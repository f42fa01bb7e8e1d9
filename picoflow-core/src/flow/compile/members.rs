//! Who has tools: a step, its bases, and the flow as the last base of all.

use super::MOST_BASES;
use crate::{
    StepId, ToolDefinition,
    flow::{AnyFlow, BuildFault, BuildReport, Receiver},
    step::AnyStep,
    tool::raw::RawTable,
};

/// One step of a chain, or the flow.
pub(super) struct Member {
    pub(super) kind: MemberKind,
    /// Tells types apart.
    pub(super) type_path: &'static str,
    pub(super) table: RawTable,
    pub(super) defines: Vec<ToolDefinition>,
}

pub(super) enum MemberKind {
    Step(StepId),
    Flow,
}

impl Member {
    fn of_step(step: &dyn AnyStep) -> Self {
        Self {
            kind: MemberKind::Step(step.dyn_id()),
            type_path: step.dyn_type_path(),
            table: step.dyn_table(),
            defines: step.dyn_define_tools(),
        }
    }

    pub(super) fn of_flow(flow: &dyn AnyFlow) -> Self {
        Self {
            kind: MemberKind::Flow,
            type_path: flow.type_path(),
            table: flow.table(),
            defines: flow.define_tools(),
        }
    }

    /// Who it is, for a message.
    pub(super) fn name(&self) -> String {
        match &self.kind {
            MemberKind::Step(id) => format!("step `{id}`"),
            MemberKind::Flow => "the flow".to_owned(),
        }
    }
}

/// The step and its bases, nearest first.
pub(super) fn chain(step: &dyn AnyStep, report: &mut BuildReport) -> Vec<Member> {
    let mut steps = std::iter::successors(Some(step), |step| step.dyn_base());
    let chain: Vec<_> = steps
        .by_ref()
        .take(MOST_BASES + 1)
        .map(Member::of_step)
        .collect();
    if steps.next().is_some() {
        report.faults.push(BuildFault::BaseChain {
            step: step.dyn_id(),
            limit: MOST_BASES,
        });
    }
    chain
}

/// The chain with the flow at its end, each with how a call gets there.
pub(super) fn receivers<'a>(
    chain: &'a [Member],
    flow: &'a Member,
) -> impl DoubleEndedIterator<Item = (Receiver, &'a Member)> + Clone {
    let steps = chain.iter().enumerate();
    steps
        .map(|(depth, member)| (Receiver::Step(depth), member))
        .chain(std::iter::once((Receiver::Flow, flow)))
}

/// The last segment of a type's path, without generics: what a body writes before `::ID`.
pub(super) fn short_name(type_path: &str) -> &str {
    let path = type_path.split('<').next().unwrap_or(type_path);
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #[test]
    fn short_names_drop_path_and_generics() {
        assert_eq!(super::short_name("a::b::Step<c::D<e::F>>"), "Step");
        assert_eq!(super::short_name("Step"), "Step");
    }
}
