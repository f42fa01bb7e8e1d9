//! Flows as they were built: `graph` and `check`.

use super::{Ended, options::Format, table::table};
use crate::{BoxError, CompiledFlow, Engine};
use std::{
    fmt::Write as _,
    io::{Write, stdout},
    process::ExitCode,
};

/// The flow of this name, or the only one.
pub(super) fn flow<'e>(
    engine: &'e Engine,
    name: Option<&str>,
) -> Result<&'e CompiledFlow, BoxError> {
    let mut flows = engine.flows();
    let found = match name {
        Some(name) => engine.flow(name),
        None => flows.next().filter(|_| flows.len() == 0),
    };
    found.ok_or_else(|| {
        let problem = name.map_or_else(
            || "there are several flows".to_owned(),
            |name| format!("there is no flow `{name}`"),
        );
        let names: Vec<_> = engine.flows().map(|flow| flow.id().as_str()).collect();
        format!("{problem}: choose one by `--flow` of {}", names.join(", ")).into()
    })
}

pub(super) fn graph(engine: &Engine, name: Option<&str>, format: Format) -> Ended {
    let graph = flow(engine, name)?.graph();
    let picture = match format {
        Format::Mermaid => graph.to_mermaid(),
        Format::Dot => graph.to_dot(),
        Format::Svg => graph.to_svg(),
    };
    stdout().write_all(picture.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn check(engine: &Engine, is_strict: bool) -> Ended {
    let mut text = String::new();
    let mut warnings = 0;
    for flow in engine.flows() {
        warnings += flow.report().warnings.len();
        text.push_str(&page(flow)?);
    }
    let (flows, is_failed) = (engine.flows().len(), is_strict && warnings > 0);
    writeln!(text, "{}, {}", counted(flows, "flow"), counted(warnings, "warning"))?;
    stdout().write_all(text.as_bytes())?;
    Ok(if is_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// One flow, its steps and what its build found.
fn page(flow: &CompiledFlow) -> Result<String, std::fmt::Error> {
    let mut text = format!("{}\n", flow.id());
    let graph = flow.graph();
    let rows = flow.steps().zip(&graph.nodes).map(|(step, node)| {
        let kind = match (node.is_logic, node.is_entry) {
            (true, true) => "logic, entry",
            (true, false) => "logic",
            (false, true) => "entry",
            (false, false) => "",
        };
        let memory = if node.is_logic { "" } else { step.namespace() };
        let tools = if node.tools.is_empty() { "-".to_owned() } else { node.tools.join(", ") };
        [format!("  {}", step.id()), kind.to_owned(), memory.to_owned(), tools]
    });
    let head = ["  STEP", "KIND", "MEMORY", "TOOLS"].map(str::to_owned);
    text.push_str(&table(&[head].into_iter().chain(rows).collect::<Vec<_>>()));
    for warning in &flow.report().warnings {
        writeln!(text, "  warning: {warning}")?;
    }
    for note in &flow.report().notes {
        writeln!(text, "  note: {note}")?;
    }
    text.push('\n');
    Ok(text)
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
