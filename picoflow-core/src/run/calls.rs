//! The calls of a reply before any handler sees them.

use super::Run;
use crate::{
    Hidden, ToolCall, ToolDefinition,
    flow::{CompiledStep, CompiledTool},
    similar::most_like,
    tool::{CallView, ToolError, Unknown, args, fit},
};

impl Run {
    /// Brings the calls of a reply into the form that everything after expects: argument text repaired where that is
    /// safe.
    pub(super) fn normalise(&mut self, step: &CompiledStep, calls: &mut [ToolCall]) {
        for call in calls {
            if let Some(args::Repair::Doubled) = args::normalise(call) {
                self.warn(
                    &step.id,
                    format!("repaired arguments of tool '{}': JSON in a JSON string", call.name()),
                );
            }
            if let Some(tool) = step.tools.get(call.name()) {
                fit(call, &tool.validator, tool.definition.is_lenient());
            }
        }
    }
}

pub(super) fn is_offered(step: &CompiledStep, tool: &str, hidden: &Hidden) -> bool {
    step.tools.contains_key(tool) && !hidden.hides(tool)
}

impl Run {
    /// Parses and checks the arguments of a call whose tool the step exposes. A name that no parameter has is refused
    /// where the tool is told strictly, else warned of.
    #[inline]
    pub(super) fn validate<'a>(
        &mut self,
        step: &CompiledStep,
        tool: &CompiledTool,
        call: &'a ToolCall,
    ) -> Result<CallView<'a>, ToolError> {
        let view = CallView::parse(call)?;
        tool.validator.check(view.arguments())?;
        let unknown = tool.validator.unknown(view.arguments());
        if unknown.is_empty() {
            return Ok(view);
        }
        if tool.is_strict {
            return Err(Unknown::refuse(unknown));
        }
        for unknown in unknown {
            self.warn(&step.id, format!("unknown argument of tool '{}' at {unknown}", call.name()));
        }
        Ok(view)
    }
}

/// As many names as a model is told that called a tool which is not there.
const MOST_NAMES: usize = 100;

pub(super) fn unknown_tool(step: &CompiledStep, tool: &str, hidden: &Hidden) -> String {
    let offered: Vec<_> =
        step.tools().map(ToolDefinition::name).filter(|name| !hidden.hides(name)).collect();
    let there = match &*offered {
        [] => "There are no tools here.".to_owned(),
        names => match names.split_at_checked(MOST_NAMES) {
            Some((first, rest @ [_, ..])) => {
                format!("The tools here are: {}, and {} more.", first.join(", "), rest.len())
            }
            _ => format!("The tools here are: {}.", names.join(", ")),
        },
    };
    match most_like(tool, offered) {
        Some(name) => format!("Tool '{tool}' does not exist here. Did you mean '{name}'? {there}"),
        None => format!("Tool '{tool}' does not exist here. {there}"),
    }
}
