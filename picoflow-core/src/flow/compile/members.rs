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
    /// What `define_tools` gives, with what it takes from bases.
    pub(super) defines: Vec<ToolDefinition>,
    /// What `native_tools` gives, of the nearest member and of the flow: the other members are not asked.
    pub(super) natives: Vec<Native>,
}

/// A tool with a handler of its own.
pub(super) struct Native {
    pub(super) tool: NativeTool,
    /// Which member of the chain gives it: 0 is the step itself, or the flow.
    pub(super) depth: usize,
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
            natives: Vec::new(),
        }
    }

    pub(super) fn of_flow(flow: &dyn AnyFlow) -> Self {
        let natives = flow.native_tools().into_iter();
        Self {
            kind: MemberKind::Flow,
            type_path: flow.type_path(),
            table: flow.table(),
            defines: flow.define_tools(),
            natives: natives.map(|tool| Native { tool, depth: 0 }).collect(),
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

/// Whether the step's chain of bases ends. Where it does not, no hook may be asked: each would ask its base for ever.
pub(super) fn has_an_end(step: &dyn AnyStep) -> bool {
    steps(step).take(MOST_BASES + 2).count() <= MOST_BASES + 1
}

/// The step and its bases, nearest first.
pub(super) fn chain(step: &dyn AnyStep) -> Vec<Member> {
    let mut chain: Vec<_> = steps(step).map(Member::of_step).collect();
    let natives = natives(step, &chain);
    if let Some(nearest) = chain.first_mut() {
        nearest.natives = natives;
    }
    chain
}

/// What the step's `native_tools` gives, each with the member that it is inherited from: two values of one
/// collection are alike in everything else. An annotated step marks its own; of another one whose `native_tools` is
/// called by name, a tool of the same code and definition is taken for the base's.
fn natives(step: &dyn AnyStep, chain: &[Member]) -> Vec<Native> {
    let place = |tool: &NativeTool| {
        let owner = tool.owner();
        chain.iter().position(|member| Some(member.type_path) == owner).unwrap_or(0)
    };
    let tools = step.dyn_native_tools();
    let mut natives: Vec<_> =
        tools.into_iter().map(|tool| Native { depth: place(&tool), tool }).collect();
    let unmarked = chain.iter().skip(1).position(|member| !member.table.is_annotated);
    if let Some(base) = unmarked.and_then(|depth| steps(step).nth(depth + 1))
        && natives.iter().any(|native| native.depth == 0)
    {
        let of_base = base.dyn_native_tools();
        for native in natives.iter_mut().filter(|native| native.depth == 0) {
            let same = of_base.iter().find(|tool| tool.is_like(&native.tool));
            native.depth = same.map_or(0, place);
        }
    }
    natives
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
