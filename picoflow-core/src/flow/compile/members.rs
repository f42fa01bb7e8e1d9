//! Who has tools: a step, its bases, and the flow as the last base of all.

use super::MOST_BASES;
use crate::{
    StepId, ToolDefinition,
    flow::{AnyFlow, Receiver},
    native::NativeTool,
    step::AnyStep,
    tool::raw::RawTable,
};

/// One step of a chain, or the flow.
pub(super) struct Member {
    pub(super) kind: MemberKind,
    /// Tells types apart.
    pub(super) type_path: &'static str,
    pub(super) table: RawTable,
    /// What `define_tools` and `native_tools` define.
    pub(super) defines: Vec<ToolDefinition>,
    pub(super) natives: Vec<NativeTool>,
}

pub(super) enum MemberKind {
    Step(StepId),
    Flow,
}

impl Member {
    fn of_step(step: &dyn AnyStep) -> Self {
        Self::new(
            MemberKind::Step(step.dyn_id()),
            step.dyn_type_path(),
            step.dyn_table(),
            step.dyn_define_tools(),
            step.dyn_native_tools(),
        )
    }

    pub(super) fn of_flow(flow: &dyn AnyFlow) -> Self {
        Self::new(
            MemberKind::Flow,
            flow.type_path(),
            flow.table(),
            flow.define_tools(),
            flow.native_tools(),
        )
    }

    fn new(
        kind: MemberKind,
        type_path: &'static str,
        table: RawTable,
        mut defines: Vec<ToolDefinition>,
        natives: Vec<NativeTool>,
    ) -> Self {
        defines.extend(natives.iter().map(|tool| tool.definition().clone()));
        Self { kind, type_path, table, defines, natives }
    }

    /// Who it is, for a message.
    pub(super) fn name(&self) -> String {
        match &self.kind {
            MemberKind::Step(id) => format!("step `{id}`"),
            MemberKind::Flow => "the flow".to_owned(),
        }
    }
}

/// Whether the step's chain of bases ends. Where it does not, no hook may be asked: each would ask its base for ever.
pub(super) fn has_an_end(step: &dyn AnyStep) -> bool {
    steps(step).take(MOST_BASES + 2).count() <= MOST_BASES + 1
}

/// The step and its bases, nearest first.
pub(super) fn chain(step: &dyn AnyStep) -> Vec<Member> {
    steps(step).map(Member::of_step).collect()
}

fn steps(step: &dyn AnyStep) -> impl Iterator<Item = &dyn AnyStep> {
    std::iter::successors(Some(step), |step| step.dyn_base())
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
