//! Where the code of a flow goes, steps that nobody goes to, and targets that are no steps.

use super::members::{Member, MemberKind, short_name};
use crate::{
    FlowId, StepId,
    flow::{
        BuildReport, BuildWarning, CompiledStep, EdgeKind, GraphEdge, Receiver, Route, ToolHandler,
    },
    step::TerminateSessionStep,
    tool::{
        raw::RawTable,
        table::{Purpose, Reference, Target},
    },
};

/// What the bodies of a flow's methods name.
#[derive(Default)]
pub(super) struct Links {
    pub(super) edges: Vec<GraphEdge>,
    /// The steps that the flow itself names.
    pub(super) entries: Vec<StepId>,
}

pub(super) fn links(
    flow_id: &FlowId,
    steps: &[CompiledStep],
    chains: &[Vec<Member>],
    flow: &Member,
    report: &mut BuildReport,
) -> Links {
    let look = Look { flow_id, steps };
    let mut links = Links::default();
    let mut reached: Vec<&StepId> = Vec::new();
    for (step, chain) in steps.iter().zip(chains) {
        for (depth, member) in chain.iter().enumerate() {
            let nearer = chain.get(..depth).unwrap_or_default();
            let references = member.table.references.iter();
            for reference in references.filter(|reference| reference.purpose != Purpose::Hide) {
                let Some(target) = look.target(reference) else {
                    look.unknown(member, reference, report);
                    continue;
                };
                reached.push(&target.id);
                if !is_shadowed(reference.method, nearer) {
                    links.edges.extend(edge(step, target, reference, Owner::Step));
                }
            }
        }
    }
    for reference in &flow.table.references {
        let Some(target) = look.target(reference) else {
            continue;
        };
        reached.push(&target.id);
        if reference.method == "initial_step" {
            links.entries.push(target.id.clone());
        }
        let edges = steps.iter().filter_map(|step| edge(step, target, reference, Owner::Flow));
        links.edges.extend(edges.filter(|edge| !edge.tools.is_empty()));
    }
    // A body that no macro has read may go anywhere.
    let own = std::any::type_name::<TerminateSessionStep>();
    let is_known = |member: &Member| member.table.is_annotated || member.type_path == own;
    if chains.iter().flatten().chain([flow]).all(is_known) {
        let others = steps.iter().skip(1);
        let never = others.filter(|step| !reached.contains(&&step.id));
        report.warnings.extend(never.map(|step| BuildWarning::NeverReached {
            flow: flow_id.clone(),
            step: step.id.clone(),
        }));
    }
    links
}

/// Whether a nearer step has a handler or a hook of this name, so that the base's never runs. A helper is no such
/// thing: the base calls its own.
fn is_shadowed(method: &str, nearer: &[Member]) -> bool {
    let is_written = |table: &RawTable| table.hooks.contains(&method);
    nearer.iter().any(|Member { table, .. }| table.method(method).is_some() || is_written(table))
}

/// Whose method it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Step,
    Flow,
}

fn edge(
    from: &CompiledStep,
    to: &CompiledStep,
    reference: &Reference,
    owner: Owner,
) -> Option<GraphEdge> {
    Some(GraphEdge {
        from: from.id.clone(),
        to: to.id.clone(),
        kind: match reference.purpose {
            Purpose::Go => EdgeKind::Go,
            Purpose::Child => EdgeKind::Child,
            Purpose::Mention | Purpose::Hide => return None,
        },
        method: reference.method,
        tools: handled_by(from, reference.method, owner),
    })
}

/// The tools that a method of the step handles, alone or in a group.
fn handled_by(step: &CompiledStep, method: &str, owner: Owner) -> Vec<String> {
    let is_it = |route: &Route| {
        let is_flow = route.receiver == Receiver::Flow;
        route.method == method && is_flow == (owner == Owner::Flow)
    };
    let is_single = |tool: &str| {
        let handler = step.tools.get(tool).and_then(|tool| tool.handler.as_ref());
        matches!(handler, Some(ToolHandler::Method(route)) if is_it(route))
    };
    let is_grouped = |tool: &str| {
        let mut groups = step.groups.iter();
        groups.any(|(names, route)| is_it(route) && names.iter().any(|name| name == tool))
    };
    let tools = step.tools().map(crate::ToolDefinition::name);
    tools.filter(|tool| is_single(tool) || is_grouped(tool)).map(str::to_owned).collect()
}

struct Look<'a> {
    flow_id: &'a FlowId,
    steps: &'a [CompiledStep],
}

impl<'a> Look<'a> {
    fn target(&self, reference: &Reference) -> Option<&'a CompiledStep> {
        self.steps.iter().find(|step| {
            let name = short_name(step.step.dyn_type_path());
            let mut ids = [&step.id].into_iter().chain(&step.aliases);
            ids.any(|id| reference.target.is(id, name))
        })
    }

    /// Warns of a target that is no step. What a body only mentions may be anything.
    fn unknown(&self, member: &Member, reference: &Reference, report: &mut BuildReport) {
        let MemberKind::Step(step) = &member.kind else {
            return;
        };
        if reference.purpose == Purpose::Mention {
            return;
        }
        let warning = BuildWarning::UnknownTarget {
            flow: self.flow_id.clone(),
            step: step.clone(),
            method: reference.method,
            target: match reference.target {
                Target::Type(name) | Target::Id(name) => name.to_owned(),
            },
        };
        // A base under several steps says it once.
        if !report.warnings.contains(&warning) {
            report.warnings.push(warning);
        }
    }
}
