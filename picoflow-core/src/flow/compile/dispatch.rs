//! One flat table per step: what it offers, and who handles it.

use super::{
    members::{Member, receivers},
    registry::Registry,
    schema,
};
use crate::{
    FlowId, StepId, ToolDefinition,
    flow::{
        BuildFault, BuildNote, BuildReport, BuildWarning, CompiledTool, Route, ToolHandler, ToolMap,
    },
    native::NativeTool,
    step::AnyStep,
    tool::{raw::HandlerKind, table::SchemaRow},
};
use std::{collections::BTreeMap, sync::Arc};

#[derive(Default)]
pub(super) struct StepTools {
    pub(super) offered: Vec<Arc<ToolDefinition>>,
    pub(super) tools: ToolMap,
    pub(super) groups: BTreeMap<Vec<String>, Route>,
}

pub(super) fn step_tools(
    flow_id: &FlowId,
    step: &dyn AnyStep,
    chain: &[Member],
    flow: &Member,
    registry: &Registry,
    is_strict: bool,
    report: &mut BuildReport,
) -> StepTools {
    let look = Look { step: step.dyn_id(), chain, flow };
    let mut tools = StepTools::default();
    let exposed = exposure(step, chain, flow);
    look.check_overrides(report);
    look.collect_groups(&exposed, &mut tools, report);
    for tool in exposed {
        let Some(registered) = registry.get(&tool) else {
            report.faults.push(BuildFault::UndefinedTool {
                flow: flow_id.clone(),
                step: look.step.clone(),
                nearest: registry.nearest(&tool),
                tool,
            });
            continue;
        };
        let found = look.single(&tool, report);
        look.check_single(&tool, found.as_ref(), &registered.definition, &tools, report);
        let told = look.told(&registered.definition, is_strict, report);
        let is_strict = told.is_strict();
        tools.offered.push(told);
        let handler = match found {
            Some((route, _)) => Some(ToolHandler::Method(route)),
            None => look.native(&tool).cloned().map(ToolHandler::Native),
        };
        tools.tools.insert(
            tool,
            CompiledTool {
                definition: Arc::clone(&registered.definition),
                validator: Arc::clone(&registered.validator),
                is_strict,
                handler,
            },
        );
    }
    tools
}

/// `use_tools` first, then annotated names base first, then native tools, then the flow's; each name once, at its first
/// place.
fn exposure(step: &dyn AnyStep, chain: &[Member], flow: &Member) -> Vec<String> {
    let used = step.dyn_use_tools().into_iter().map(String::from);
    let annotated = |member: &Member| -> Vec<String> {
        let rows = member.table.tools.iter();
        rows.map(|row| row.tool.to_owned()).collect()
    };
    let natives = |member: &Member| -> Vec<String> {
        let tools = member.natives.iter();
        tools.map(|tool| tool.name().to_owned()).collect()
    };
    let own = chain.iter().rev().flat_map(annotated);
    // `native_tools` of the nearest step already holds what it takes from its bases.
    let own = own.chain(chain.first().into_iter().flat_map(natives));
    let shared = annotated(flow).into_iter().chain(natives(flow));
    let mut names = Vec::new();
    for name in used.chain(own).chain(shared) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Looks handlers up in one step's chain.
struct Look<'a> {
    step: StepId,
    chain: &'a [Member],
    flow: &'a Member,
}

type Found = (Route, Option<SchemaRow>);

impl Look<'_> {
    /// A definition as the step's model is told it. `is_strict`: the model wants the strict form of every tool.
    fn told(
        &self,
        definition: &Arc<ToolDefinition>,
        is_strict: bool,
        report: &mut BuildReport,
    ) -> Arc<ToolDefinition> {
        if !is_strict && !definition.is_strict() {
            return Arc::clone(definition);
        }
        let (told, reason) = definition.told_strictly();
        if let Some(reason) = reason {
            let (step, tool) = (self.step.clone(), definition.name().to_owned());
            if definition.is_strict() {
                report.warnings.push(BuildWarning::NoStrictForm { step, tool, reason });
            } else {
                report.notes.push(BuildNote::NoStrictForm { step, tool, reason });
            }
        }
        Arc::new(told)
    }

    /// The method for single calls of `tool`: the nearest row names it, else a method of the tool's own name that
    /// carries no attribute.
    fn single(&self, tool: &str, report: &mut BuildReport) -> Option<Found> {
        let members = receivers(self.chain, self.flow);
        let row = members
            .clone()
            .flat_map(|(_, member)| &member.table.tools)
            .find(|row| row.tool == tool);
        let by_name = members
            .flat_map(|(_, member)| &member.table.methods)
            .find(|method| method.by_name && method.name == tool);
        let method = match row {
            Some(row) => row.method,
            None => by_name?.name,
        };
        self.method(method, HandlerKind::One, || format!("tool `{tool}`"), report)
    }

    /// The tool with a handler of its own.
    fn native(&self, tool: &str) -> Option<&NativeTool> {
        let own = self.chain.first().into_iter();
        let mut natives = own.chain([self.flow]).flat_map(|member| &member.natives);
        natives.find(|native| native.name() == tool)
    }

    /// The nearest method of this name.
    fn method(
        &self,
        name: &'static str,
        kind: HandlerKind,
        what: impl FnOnce() -> String,
        report: &mut BuildReport,
    ) -> Option<Found> {
        let (receiver, method) = receivers(self.chain, self.flow)
            .find_map(|(receiver, member)| Some((receiver, member.table.method(name)?)))?;
        if method.handler != kind {
            report.faults.push(BuildFault::HandlerKind {
                step: self.step.clone(),
                method: name,
                what: what(),
                takes: match method.handler {
                    HandlerKind::One => "one call at a time",
                    HandlerKind::Group => "all calls of a reply at once",
                },
            });
            return None;
        }
        let route = Route { receiver, method: name, at: method.at };
        Some((route, method.schema))
    }

    fn collect_groups(&self, exposed: &[String], tools: &mut StepTools, report: &mut BuildReport) {
        let members = receivers(self.chain, self.flow);
        for row in members.flat_map(|(_, member)| &member.table.groups) {
            let names: Vec<String> = row.names.iter().map(|&name| name.to_owned()).collect();
            if tools.groups.contains_key(&names) {
                continue; // a nearer one has the set
            }
            for name in names.iter().filter(|name| !exposed.contains(name)) {
                report.warnings.push(BuildWarning::UnreachableGroup {
                    step: self.step.clone(),
                    method: row.method,
                    tool: name.clone(),
                });
            }
            let what = || format!("the set [{}]", names.join(", "));
            if let Some((route, _)) = self.method(row.method, HandlerKind::Group, what, report) {
                tools.groups.insert(names, route);
            }
        }
    }

    fn check_single(
        &self,
        tool: &str,
        found: Option<&Found>,
        definition: &ToolDefinition,
        tools: &StepTools,
        report: &mut BuildReport,
    ) {
        let group = tools.groups.get(&[tool.to_owned()][..]);
        match (found, group) {
            (Some((single, _)), Some(group)) => report.notes.push(BuildNote::GroupShadowsSingle {
                step: self.step.clone(),
                tool: tool.to_owned(),
                group: group.method,
                single: single.method,
            }),
            (None, None) if self.native(tool).is_none() => {
                report.warnings.push(BuildWarning::NoHandler {
                    step: self.step.clone(),
                    tool: tool.to_owned(),
                });
            }
            _ => {}
        }
        let Some((route, Some(reads))) = found else {
            return;
        };
        if let Some(reason) = schema::mismatch(&reads.schema(), definition.schema()) {
            report.warnings.push(BuildWarning::SchemaMismatch {
                step: self.step.clone(),
                method: route.method,
                tool: tool.to_owned(),
                reason,
            });
        }
    }

    fn check_overrides(&self, report: &mut BuildReport) {
        // The flow, as the last base of all, has no such row: `check::flow` refuses it.
        for (depth, member) in self.chain.iter().enumerate() {
            let bases = receivers(self.chain, self.flow).skip(depth + 1);
            for row in member.table.tools.iter().filter(|row| row.overrides) {
                let is_handled = bases.clone().any(|(_, base)| {
                    let by_row = base.table.tools.iter().any(|other| other.tool == row.tool);
                    let by_name = |method: &crate::tool::raw::RawMethod| {
                        method.by_name && method.name == row.tool
                    };
                    by_row || base.table.methods.iter().any(by_name)
                });
                if !is_handled {
                    report.faults.push(BuildFault::NothingToOverride {
                        step: self.step.clone(),
                        tool: row.tool.to_owned(),
                    });
                }
            }
        }
    }
}
