//! One flat table per step: what it offers, and who handles it.

use super::{
    members::{Member, MemberKind, receivers},
    registry::{Place, Registry, duplicate},
    schema,
};
use crate::{
    FlowId, StepId, ToolDefinition,
    flow::{
        BuildFault, BuildNote, BuildReport, BuildWarning, CompiledTool, Route, ToolHandler, ToolMap,
    },
    native::NativeTool,
    step::AnyStep,
    tool::{
        raw::HandlerKind,
        table::{PlainRow, SchemaRow},
    },
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
        let Some(registered) = registry.get(chain, &tool) else {
            report.faults.push(undefined(flow_id, &look.step, tool, registry));
            continue;
        };
        let found = look.single(flow_id, &tool, report);
        look.check_single(&tool, found.as_ref(), &registered.definition, &tools, report);
        let told = look.told(&registered.definition, is_strict, report);
        let is_strict = told.is_strict();
        tools.offered.push(told);
        let handler = match found {
            Some(Found::Method(route, _)) => Some(ToolHandler::Method(route)),
            Some(Found::Native(tool)) => Some(ToolHandler::Native(tool.clone())),
            None => None,
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

fn undefined(flow: &FlowId, step: &StepId, tool: String, registry: &Registry) -> BuildFault {
    let (flow, step) = (flow.clone(), step.clone());
    let definers = registry.redefiners(&tool);
    if definers.is_empty() {
        BuildFault::UndefinedTool { flow, step, nearest: registry.nearest(&tool), tool }
    } else {
        BuildFault::OnlyRedefined { flow, step, tool, definers }
    }
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
        tools.map(|native| native.tool.name().to_owned()).collect()
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

/// What runs for a tool.
enum Found<'a> {
    Method(Route, Option<SchemaRow>),
    Native(&'a NativeTool),
}

impl<'a> Look<'a> {
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

    /// What runs for single calls of `tool`. The nearest row names the method, else a method of the tool's own name
    /// that carries no attribute; a nearer method comes before a tool with a handler of its own.
    fn single(&self, flow: &FlowId, tool: &str, report: &mut BuildReport) -> Option<Found<'a>> {
        let mut members = receivers(self.chain, self.flow).enumerate();
        let mut named = members.clone();
        let row = members.find_map(|(at, (_, member))| Some((at, member.table.row(tool)?.method)));
        let method = row.or_else(|| {
            named.find_map(|(at, (_, member))| Some((at, member.table.by_name(tool)?.name)))
        });
        match (method, self.native(tool)) {
            (Some((at, _)), Some((depth, native))) if at >= depth => {
                self.clash(flow, tool, depth, native, report);
                Some(Found::Native(native))
            }
            (Some((_, method)), _) => {
                let (route, schema) =
                    self.method(method, HandlerKind::One, || format!("tool `{tool}`"), report)?;
                Some(Found::Method(route, schema))
            }
            (None, Some((depth, native))) => {
                let nearer = self.chain.iter().take(depth);
                let unfit = nearer.filter_map(|member| Some((member, member.table.unfit(tool)?)));
                for (member, reason) in unfit {
                    self.cannot_override(tool, member, depth, reason, report);
                }
                Some(Found::Native(native))
            }
            (None, None) => None,
        }
    }

    /// The nearest tool with a handler of its own, and how far away it is.
    fn native(&self, tool: &str) -> Option<(usize, &'a NativeTool)> {
        let own = self.chain.first().into_iter().flat_map(|nearest| &nearest.natives);
        let own = own.map(|native| (native.depth, &native.tool));
        let of_flow = self.flow.natives.iter().map(|native| (self.chain.len(), &native.tool));
        own.chain(of_flow).find(|(_, native)| native.name() == tool)
    }

    /// A method of the same member, or of one farther away, handles the native tool's name too.
    fn clash(
        &self,
        flow: &FlowId,
        tool: &str,
        depth: usize,
        native: &NativeTool,
        report: &mut BuildReport,
    ) {
        let is_known = |fault: &BuildFault| matches!(fault, BuildFault::DuplicateTool { tool: known, .. } if known == tool);
        if report.faults.iter().any(is_known) {
            return; // both define it
        }
        let mut members = receivers(self.chain, self.flow).map(|(_, member)| member);
        let owner = members.clone().nth(depth);
        let handler = members.find_map(|member| {
            let table = &member.table;
            let row = table.row(tool).map(|row| row.method);
            Some((member, row.or_else(|| Some(table.by_name(tool)?.name))?))
        });
        if let (Some(owner), Some((member, method))) = (owner, handler) {
            let (first, second) = (Place::native(owner, native), Place::of_method(member, method));
            duplicate(flow, native.definition(), &first, &second, report);
        }
    }

    /// The nearest method of this name.
    fn method(
        &self,
        name: &'static str,
        kind: HandlerKind,
        what: impl FnOnce() -> String,
        report: &mut BuildReport,
    ) -> Option<(Route, Option<SchemaRow>)> {
        let (depth, (receiver, method)) = receivers(self.chain, self.flow).enumerate().find_map(
            |(depth, (receiver, member))| Some((depth, (receiver, member.table.method(name)?))),
        )?;
        for member in self.chain.iter().take(depth) {
            if let Some(reason) = member.table.unfit(name) {
                self.cannot_override(name, member, depth, reason, report);
            }
        }
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

    /// A nearer method has the name of a handler, and cannot be one.
    fn cannot_override(
        &self,
        method: &str,
        member: &Member,
        depth: usize,
        reason: &'static str,
        report: &mut BuildReport,
    ) {
        let base = self.chain.get(depth).unwrap_or(self.flow);
        let fault = BuildFault::CannotOverride {
            step: match &member.kind {
                MemberKind::Step(step) => step.clone(),
                MemberKind::Flow => self.step.clone(),
            },
            method: method.to_owned(),
            base: base.name(),
            reason,
        };
        // A base under several steps says it once.
        if !report.faults.contains(&fault) {
            report.faults.push(fault);
        }
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
        found: Option<&Found<'_>>,
        definition: &ToolDefinition,
        tools: &StepTools,
        report: &mut BuildReport,
    ) {
        let group = tools.groups.get(&[tool.to_owned()][..]);
        match (found, group) {
            (Some(Found::Method(single, _)), Some(group)) => {
                report.notes.push(BuildNote::GroupShadowsSingle {
                    step: self.step.clone(),
                    tool: tool.to_owned(),
                    group: group.method,
                    single: single.method,
                });
            }
            (None, None) => report.warnings.push(self.unhandled(tool)),
            _ => {}
        }
        let Some(Found::Method(route, reads)) = found else {
            return;
        };
        report.warnings.extend(self.shadowed(tool, route));
        let reason = reads.and_then(|reads| schema::mismatch(&reads.schema(), definition.schema()));
        if let Some(reason) = reason {
            report.warnings.push(BuildWarning::SchemaMismatch {
                step: self.step.clone(),
                method: route.method,
                tool: tool.to_owned(),
                reason,
            });
        }
    }

    /// Nothing handles the tool, though a method may have its name.
    fn unhandled(&self, tool: &str) -> BuildWarning {
        let (step, tool) = (self.step.clone(), tool.to_owned());
        let reason = receivers(self.chain, self.flow).find_map(|(_, Member { table, .. })| {
            let unfit = table.unfit(&tool).map(str::to_owned);
            unfit.or_else(|| {
                Some(match table.method(&tool)?.handler {
                    HandlerKind::One => {
                        format!(
                            "its attribute gives it other tools: write `#[tool(\"{tool}\")]` too"
                        )
                    }
                    HandlerKind::Group => format!(
                        "it takes all calls of a reply at once: write `#[tools([\"{tool}\"])]`"
                    ),
                })
            })
        });
        match reason {
            Some(reason) => BuildWarning::UnfitHandler { step, tool, reason },
            None => BuildWarning::NoHandler { step, tool },
        }
    }

    /// A method that has the tool's name and the shape of its handler, and is not the one that runs. One that others call
    /// is a helper; beside the handler in the same step, so is one without a doc comment.
    fn shadowed(&self, tool: &str, route: &Route) -> Option<BuildWarning> {
        if route.method == tool {
            return None;
        }
        for (receiver, Member { table, .. }) in receivers(self.chain, self.flow) {
            let is_own = table.row(tool).is_some();
            let is_meant =
                |row: &&PlainRow| row.method == tool && row.fault.is_none() && !row.is_called;
            let plain = table.plain.iter().find(is_meant);
            if plain.is_some_and(|row| row.is_documented || !is_own) {
                return Some(BuildWarning::ShadowedHandler {
                    step: self.step.clone(),
                    tool: tool.to_owned(),
                    handler: route.method,
                });
            }
            // What is farther away than the row that counts is overridden as it should be.
            if is_own || receiver == route.receiver {
                break;
            }
        }
        None
    }

    fn check_overrides(&self, report: &mut BuildReport) {
        // The flow, as the last base of all, has no such row: `check::flow` refuses it.
        for (depth, member) in self.chain.iter().enumerate() {
            let bases = receivers(self.chain, self.flow).skip(depth + 1);
            for row in member.table.tools.iter().filter(|row| row.overrides) {
                let has_native = self.native(row.tool).is_some_and(|(at, _)| at > depth);
                let is_handled = has_native
                    || bases.clone().any(|(_, Member { table, .. })| {
                        table.row(row.tool).is_some() || table.by_name(row.tool).is_some()
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
