//! The flow-wide registry of definitions.

use super::{ByName, members::Member};
use crate::{
    FlowId, ToolDefinition,
    flow::{BuildFault, BuildReport, BuildWarning, CompiledStep},
    similar::most_like,
    step::TerminateSessionStep,
    tool::{
        ToolValidator, bad_names, is_tool_name, no_arguments,
        raw::RawTable,
        table::{DefinitionRow, SchemaRow},
    },
};
use std::{collections::HashSet, sync::Arc};

/// Every defined tool of a flow.
pub(super) struct Registry {
    tools: ByName<Registered>,
}

pub(super) struct Registered {
    pub(super) definition: Arc<ToolDefinition>,
    pub(super) validator: Arc<ToolValidator>,
    /// The type that defines it, and its name for messages.
    definer: (&'static str, String),
}

impl Registry {
    /// Merges the definitions of every chain, then the flow's.
    pub(super) fn collect(
        flow_id: &FlowId,
        chains: &[Vec<Member>],
        flow: &Member,
        report: &mut BuildReport,
    ) -> Self {
        let mut registry = Self { tools: ByName::new() };
        for chain in chains {
            for member in chain {
                for row in &member.table.definitions {
                    registry.add(flow_id, member, of_row(row, &member.table), report);
                }
            }
            // `define_tools` of the nearest step already holds what it takes from its bases.
            for definition in chain.first().map_or(&[][..], |step| &step.defines) {
                let definer = definer(chain, definition);
                registry.add(flow_id, definer.unwrap_or(flow), definition.clone(), report);
            }
        }
        for row in &flow.table.definitions {
            registry.add(flow_id, flow, of_row(row, &flow.table), report);
        }
        for definition in &flow.defines {
            registry.add(flow_id, flow, definition.clone(), report);
        }
        registry
    }

    fn add(
        &mut self,
        flow: &FlowId,
        definer: &Member,
        definition: ToolDefinition,
        report: &mut BuildReport,
    ) {
        if let Some(known) = self.tools.get(definition.name()) {
            // Several steps inherit one definition from one base: it is the same one.
            if known.definer.0 != definer.type_path || *known.definition != definition {
                report.faults.push(BuildFault::DuplicateTool {
                    flow: flow.clone(),
                    tool: definition.name().to_owned(),
                    first: known.definer.1.clone(),
                    second: definer.name(),
                });
            }
            return;
        }
        let validator = check(flow, &definition, report);
        self.tools.insert(
            definition.name().to_owned(),
            Registered {
                definition: Arc::new(definition),
                validator: Arc::new(validator),
                definer: (definer.type_path, definer.name()),
            },
        );
    }

    pub(super) fn get(&self, tool: &str) -> Option<&Registered> {
        self.tools.get(tool)
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
            if !exposed.contains(&**tool) && registered.definer.0 != own {
                report
                    .warnings
                    .push(BuildWarning::NeverExposed { flow: flow.clone(), tool: tool.clone() });
            }
        }
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
