//! A flow as a picture.

#[cfg(feature = "svg")]
mod svg;

use super::{CompiledFlow, CompiledStep};
use crate::{FlowId, StepId};
use std::fmt::Write;

/// Steps, their tools, and where their code goes: what the macros saw in the bodies of handlers and hooks.
///
/// A target that is computed (`go(name)`) is not seen; one that is written (`go(NameStep::ID)`, `go("NameStep")`) is.
/// See [`CompiledFlow::graph`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowGraph {
    /// The flow.
    pub flow: FlowId,
    /// The steps, in the order in which the flow lists them.
    pub nodes: Vec<GraphNode>,
    /// Where they go, in the order of steps and methods.
    pub edges: Vec<GraphEdge>,
}

/// One step.
///
/// See [`CompiledFlow::graph`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphNode {
    /// The step.
    pub step: StepId,
    /// Whether a session may begin here: the first step, and those that the flow names.
    pub is_entry: bool,
    /// Whether it runs without a model.
    pub is_logic: bool,
    /// The tools that it exposes.
    pub tools: Vec<String>,
}

/// One way from a step to another.
///
/// See [`CompiledFlow::graph`] for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphEdge {
    /// The step whose code it is.
    pub from: StepId,
    /// The step that it names.
    pub to: StepId,
    /// What the code does with it.
    pub kind: EdgeKind,
    /// The method.
    pub method: &'static str,
    /// The tools that the method handles; none for a hook or a helper.
    pub tools: Vec<String>,
}

/// What the code does with the step that it names.
///
/// A solid arrow of a picture is a [`Go`](EdgeKind::Go), a dashed one a [`Child`](EdgeKind::Child).
///
/// ```
/// use picoflow_core::flow::EdgeKind;
///
/// assert_ne!(EdgeKind::Go, EdgeKind::Child);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EdgeKind {
    /// `go` or `direct_to`.
    Go,
    /// `run_step` or `Child::new`.
    Child,
}

impl FlowGraph {
    pub(super) fn of(flow: &CompiledFlow) -> Self {
        let node = |(place, step): (usize, &CompiledStep)| GraphNode {
            step: step.id.clone(),
            is_entry: place == 0 || flow.entries.contains(&step.id),
            is_logic: step.is_logic,
            tools: step.tools().map(|tool| tool.name().to_owned()).collect(),
        };
        Self {
            flow: flow.id.clone(),
            nodes: flow.steps.iter().enumerate().map(node).collect(),
            edges: flow.edges.clone(),
        }
    }

    /// The graph in the language of [Mermaid](https://mermaid.js.org), which many pages show as a picture.
    ///
    /// ```
    /// # use picoflow_core::{flow::FlowGraph, *};
    /// # struct Ask;
    /// # impl Step for Ask { const ID: StepId = StepId::new("Ask"); }
    /// # struct AskFlow;
    /// # impl Flow for AskFlow {
    /// #     const ID: FlowId = FlowId::new("AskFlow");
    /// #     fn model(&self) -> ModelRef { ModelRef::new("none", "none") }
    /// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
    /// # }
    /// # fn picture(engine: &Engine) {
    /// let mermaid = engine.flow("AskFlow").unwrap().graph().to_mermaid();
    /// assert!(mermaid.starts_with("flowchart TD\n"));
    /// # }
    /// ```
    pub fn to_mermaid(&self) -> String {
        let mut text = "flowchart TD\n".to_owned();
        for (i, node) in self.nodes.iter().enumerate() {
            let (open, close) = match (node.is_logic, node.is_entry) {
                (true, _) => ("{{", "}}"),
                (false, true) => ("([", "])"),
                (false, false) => ("[", "]"),
            };
            let tools = mermaid(&node.tools.join(", "));
            let tools =
                if tools.is_empty() { tools } else { format!("<br/><small>{tools}</small>") };
            let name = mermaid(node.step.as_str());
            line(&mut text, format_args!("    n{i}{open}\"{name}{tools}\"{close}"));
        }
        for Arrow { from, to, kind, labels } in self.arrows() {
            let arrow = match kind {
                EdgeKind::Go => "-->",
                EdgeKind::Child => "-.->",
            };
            let label = mermaid(&labels.join(", "));
            line(&mut text, format_args!("    n{from} {arrow}|\"{label}\"| n{to}"));
        }
        text
    }

    /// The graph in the language of [Graphviz](https://graphviz.org).
    /// See [`CompiledFlow::graph`] for an example.
    pub fn to_dot(&self) -> String {
        let mut text = format!("digraph \"{}\" {{\n", dot(self.flow.as_str()));
        text.push_str("    node [shape=box];\n");
        for (i, node) in self.nodes.iter().enumerate() {
            let mut label = dot(node.step.as_str());
            for tool in &node.tools {
                label.push_str("\\n");
                label.push_str(&dot(tool));
            }
            let shape = match (node.is_logic, node.is_entry) {
                (true, _) => " shape=diamond",
                (false, true) => " style=bold",
                (false, false) => "",
            };
            line(&mut text, format_args!("    n{i} [label=\"{label}\"{shape}];"));
        }
        for Arrow { from, to, kind, labels } in self.arrows() {
            let style = match kind {
                EdgeKind::Go => "",
                EdgeKind::Child => " style=dashed",
            };
            let label = dot(&labels.join(", "));
            line(&mut text, format_args!("    n{from} -> n{to} [label=\"{label}\"{style}];"));
        }
        text.push_str("}\n");
        text
    }

    /// One arrow for each pair of steps and kind, with all that leads that way.
    fn arrows(&self) -> Vec<Arrow> {
        let place = |step: &StepId| self.nodes.iter().position(|node| node.step == *step);
        let mut arrows: Vec<Arrow> = Vec::new();
        for edge in &self.edges {
            let (Some(from), Some(to)) = (place(&edge.from), place(&edge.to)) else {
                continue;
            };
            let mut labels = edge.tools.clone();
            if labels.is_empty() {
                labels.push(edge.method.to_owned());
            }
            let is_same =
                |arrow: &&mut Arrow| (arrow.from, arrow.to, arrow.kind) == (from, to, edge.kind);
            match arrows.iter_mut().find(is_same) {
                Some(arrow) => {
                    labels.retain(|label| !arrow.labels.contains(label));
                    arrow.labels.append(&mut labels);
                }
                None => arrows.push(Arrow { from, to, kind: edge.kind, labels }),
            }
        }
        arrows
    }
}

/// An arrow between two nodes, by their places.
struct Arrow {
    from: usize,
    to: usize,
    kind: EdgeKind,
    labels: Vec<String>,
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{content}");
}

fn mermaid(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

fn dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
