//! The flow-wide registry of definitions.

use super::{ByName, members::Member};
use crate::{
    FlowId, ToolDefinition,
    flow::{BuildFault, BuildReport, BuildWarning, CompiledStep},
    native::NativeTool,
    similar::most_like,
    step::TerminateSessionStep,
    tool::{
        ToolValidator, bad_names, is_tool_name, no_arguments,
        raw::RawTable,
        table::{DefinitionRow, SchemaRow},
    },
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// Every defined tool of a flow.
pub(super) struct Registry {
    tools: ByName<Registered>,
    /// What steps redefine for themselves and for those that derive from them, by tool and type.
    redefined: BTreeMap<(String, &'static str), Registered>,
}

pub(super) struct Registered {
    pub(super) definition: Arc<ToolDefinition>,
    pub(super) validator: Arc<ToolValidator>,
    place: Place,
}

/// Where a definition is from.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The type of the step, or of the flow.
    type_path: &'static str,
    /// Its name, for messages.
    member: String,
    kind: PlaceKind,
}

#[derive(Clone, PartialEq, Eq)]
enum PlaceKind {
    /// `#[tool(define)]`.
    Method(&'static str),
    /// `define_tools`.
    Listed,
    /// `native_tools`, with where the tool is from.
    Native(String),
}

impl Registry {
    /// Merges the definitions of every chain, then the flow's.
    pub(super) fn collect(
        flow_id: &FlowId,
        chains: &[Vec<Member>],
        flow: &Member,
        report: &mut BuildReport,
    ) -> Self {
        let mut registry = Self { tools: ByName::new(), redefined: BTreeMap::new() };
        let mut redefined = Vec::new();
        for chain in chains {
            for member in chain {
                for row in &member.table.definitions {
                    let found = (Place::of_method(member, row.method), of_row(row, &member.table));
                    // Those wait until it is known whether there is anything to redefine.
                    if member.table.row(row.tool).is_some_and(|tool| tool.overrides) {
                        redefined.push(found);
                    } else {
                        registry.add(flow_id, found, report);
                    }
                }
            }
            registry.add_lists(flow_id, chain, flow, report);
        }
        for row in &flow.table.definitions {
            let found = (Place::of_method(flow, row.method), of_row(row, &flow.table));
            registry.add(flow_id, found, report);
        }
        registry.add_lists(flow_id, std::slice::from_ref(flow), flow, report);
        registry.redefine(flow_id, &redefined, report);
        registry
    }

    /// `define_tools` and `native_tools` of the nearest step already hold what they take from its bases.
    fn add_lists(
        &mut self,
        flow_id: &FlowId,
        chain: &[Member],
        flow: &Member,
        report: &mut BuildReport,
    ) {
        let Some(nearest) = chain.first() else {
            return;
        };
        let mut listed: Vec<(Place, ToolDefinition)> = Vec::new();
        for definition in &nearest.defines {
            let place = Place::listed(definer(chain, definition).unwrap_or(flow));
            listed.push((place, definition.clone()));
        }
        for native in &nearest.natives {
            let member = chain.get(native.depth).unwrap_or(nearest);
            listed.push((Place::native(member, &native.tool), native.tool.definition().clone()));
        }
        for (at, (place, definition)) in listed.iter().enumerate() {
            let mut before = listed.iter().take(at);
            match before.find(|(_, other)| other.name() == definition.name()) {
                Some((first, _)) => duplicate(flow_id, definition, first, place, report),
                None => self.add(flow_id, (place.clone(), definition.clone()), report),
            }
        }
    }

    fn add(
        &mut self,
        flow: &FlowId,
        (place, definition): (Place, ToolDefinition),
        report: &mut BuildReport,
    ) {
        if let Some(known) = self.tools.get(definition.name()) {
            // Several steps inherit one definition from one base: it is the same one.
            if known.place != place || *known.definition != definition {
                duplicate(flow, &definition, &known.place, &place, report);
            }
            return;
        }
        let name = definition.name().to_owned();
        self.tools.insert(name, Registered::new(flow, place, definition, report));
    }

    /// `#[tool(define, overrides)]`: the definition of one step and of those that derive from it. Where there is no
    /// other one, it is the flow's.
    fn redefine(
        &mut self,
        flow: &FlowId,
        rows: &[(Place, ToolDefinition)],
        report: &mut BuildReport,
    ) {
        let is_other = |name: &str, place: &Place| {
            rows.iter().any(|(other, definition)| definition.name() == name && other != place)
        };
        for (place, definition) in rows {
            let name = definition.name();
            let is_alone = !is_other(name, place);
            match self.tools.get(name) {
                None if is_alone => self.add(flow, (place.clone(), definition.clone()), report),
                Some(known) if known.place.type_path == place.type_path => {
                    if known.place != *place || *known.definition != *definition {
                        duplicate(flow, definition, &known.place, place, report);
                    }
                }
                _ => {
                    let key = (name.to_owned(), place.type_path);
                    self.redefined.entry(key).or_insert_with(|| {
                        Registered::new(flow, place.clone(), definition.clone(), report)
                    });
                }
            }
        }
    }

    /// The definition that the first step of `chain` sees.
    pub(super) fn get(&self, chain: &[Member], tool: &str) -> Option<&Registered> {
        let of_member = |member: &Member| self.redefined.get(&(tool.to_owned(), member.type_path));
        chain.iter().find_map(of_member).or_else(|| self.tools.get(tool))
    }

    /// The steps that define the tool for themselves alone.
    pub(super) fn redefiners(&self, tool: &str) -> Vec<String> {
        let redefined = self.redefined.iter().filter(|((name, _), _)| name == tool);
        redefined.map(|(_, registered)| registered.place.member.clone()).collect()
    }

    /// The defined name that is most like `tool`, if one is alike at all.
    pub(super) fn nearest(&self, tool: &str) -> Option<String> {
        most_like(tool, self.tools.keys().map(String::as_str)).map(str::to_owned)
    }

    pub(super) fn report_never_exposed(
        &self,
        flow: &FlowId,
        steps: &[CompiledStep],
        report: &mut BuildReport,
    ) {
        let exposed: HashSet<&str> =
            steps.iter().flat_map(|step| step.tools.keys().map(String::as_str)).collect();
        let own = std::any::type_name::<TerminateSessionStep>();
        for (tool, registered) in &self.tools {
            // A flow that ends in another way need not expose what the framework's step defines.
            if !exposed.contains(&**tool) && registered.place.type_path != own {
                report
                    .warnings
                    .push(BuildWarning::NeverExposed { flow: flow.clone(), tool: tool.clone() });
            }
        }
    }
}

impl Registered {
    fn new(
        flow: &FlowId,
        place: Place,
        definition: ToolDefinition,
        report: &mut BuildReport,
    ) -> Self {
        let validator = Arc::new(check(flow, &definition, report));
        Self { definition: Arc::new(definition), validator, place }
    }
}

impl Place {
    pub(super) fn of_method(member: &Member, method: &'static str) -> Self {
        Self::new(member, PlaceKind::Method(method))
    }

    fn listed(member: &Member) -> Self {
        Self::new(member, PlaceKind::Listed)
    }

    pub(super) fn native(member: &Member, tool: &NativeTool) -> Self {
        Self::new(member, PlaceKind::Native(tool.origin().to_owned()))
    }

    fn new(member: &Member, kind: PlaceKind) -> Self {
        Self { type_path: member.type_path, member: member.name(), kind }
    }

    /// For a message that names `other` too.
    fn beside(&self, other: &Self) -> String {
        match &self.kind {
            PlaceKind::Native(origin) => format!("{} (native tool, {origin})", self.member),
            _ if self.type_path != other.type_path => self.member.clone(),
            PlaceKind::Method(method) => format!("{} (method `{method}`)", self.member),
            PlaceKind::Listed => format!("{} (`define_tools`)", self.member),
        }
    }
}

/// Reports two places of one name, once.
pub(super) fn duplicate(
    flow: &FlowId,
    definition: &ToolDefinition,
    first: &Place,
    second: &Place,
    report: &mut BuildReport,
) {
    let fault = BuildFault::DuplicateTool {
        flow: flow.clone(),
        tool: definition.name().to_owned(),
        first: first.beside(second),
        second: second.beside(first),
    };
    if !report.faults.contains(&fault) {
        report.faults.push(fault);
    }
}

/// The farthest member of the chain that has the very same definition: the one it is inherited from.
fn definer<'a>(chain: &'a [Member], definition: &ToolDefinition) -> Option<&'a Member> {
    chain.iter().take_while(|member| member.defines.contains(definition)).last()
}

fn of_row(row: &DefinitionRow, table: &RawTable) -> ToolDefinition {
    let own = || table.method(row.method).and_then(|method| method.schema);
    let schema = row.schema.or_else(own).map_or_else(no_arguments, SchemaRow::schema);
    ToolDefinition::new(row.tool, row.description, schema).with(row.strict, row.lenient)
}

/// Reports what is wrong with a definition by itself. A schema that does not compile is replaced by one that
/// accepts everything, since the build fails anyway.
fn check(flow: &FlowId, definition: &ToolDefinition, report: &mut BuildReport) -> ToolValidator {
    let tool = definition.name().to_owned();
    if !is_tool_name(&tool) {
        report.faults.push(BuildFault::ToolName { flow: flow.clone(), tool: tool.clone() });
    }
    if definition.description().is_empty() {
        report.faults.push(BuildFault::NoDescription { flow: flow.clone(), tool: tool.clone() });
    }
    report.faults.extend(
        bad_names(definition.schema()).into_iter().map(|place| BuildFault::PropertyName {
            flow: flow.clone(),
            tool: tool.clone(),
            place,
        }),
    );
    let is_object = definition.schema().get("type").is_some_and(|kind| kind == "object");
    let compiled = if is_object {
        ToolValidator::compile(definition.schema())
    } else {
        Err("is not that of an object: the model gives arguments by name".to_owned())
    };
    compiled.unwrap_or_else(|reason| {
        report.faults.push(BuildFault::ToolSchema { flow: flow.clone(), tool, reason });
        ToolValidator::lenient()
    })
}
