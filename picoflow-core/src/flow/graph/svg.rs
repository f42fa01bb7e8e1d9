//! A graph as a drawing. The layout is the work of the crate `layout-rs`.

use super::{Arrow, EdgeKind, FlowGraph, GraphNode};
use layout::{
    backends::svg::SVGWriter,
    core::{
        base::Orientation,
        color::Color,
        geometry::Point,
        style::{LineStyleKind, StyleAttr},
    },
    std_shapes::shapes::{Arrow as Line, Element, LineEndKind, ShapeKind},
    topo::layout::VisualGraph,
};

/// Size of the text, in points.
const FONT: usize = 14;

impl FlowGraph {
    /// The graph as an SVG picture: steps as boxes with their tools, logic steps as ellipses, steps that a session may
    /// begin with filled; solid lines for transitions, dashed ones for children.
    ///
    /// ```
    /// # use picoflow_core::{model::*, *};
    /// # struct Ask;
    /// # impl Step for Ask { const ID: StepId = StepId::new("Ask"); }
    /// # struct AskFlow;
    /// # impl Flow for AskFlow {
    /// #     const ID: FlowId = FlowId::new("AskFlow");
    /// #     fn model(&self) -> ModelRef { ModelRef::new("none", "none") }
    /// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
    /// # }
    /// # struct Silent;
    /// # impl ChatModel for Silent {
    /// #     fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
    /// #         Box::pin(async { Ok(ModelReply::text("")) })
    /// #     }
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let engine = Engine::builder().flow(AskFlow).model(Silent).build().await?;
    /// let svg = engine.flow("AskFlow").unwrap().graph().to_svg();
    /// assert!(svg.contains("<svg") && svg.contains("Ask"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_svg(&self) -> String {
        let mut graph = VisualGraph::new(Orientation::TopToBottom);
        let nodes: Vec<_> = self.nodes.iter().map(|node| graph.add_node(element(node))).collect();
        for arrow in self.arrows() {
            if let (Some(from), Some(to)) = (nodes.get(arrow.from), nodes.get(arrow.to)) {
                graph.add_edge(line(&arrow), *from, *to);
            }
        }
        let mut writer = SVGWriter::new();
        graph.do_it(false, false, false, &mut writer);
        writer.finalize()
    }
}

fn element(node: &GraphNode) -> Element {
    let mut lines = vec![node.step.to_string()];
    lines.extend(node.tools.iter().cloned());
    let longest = lines.iter().map(|line| line.chars().count()).max();
    let size = Point::new(
        to_f64(longest.unwrap_or(0) * FONT * 2 / 3 + 2 * FONT),
        to_f64((lines.len() + 1) * (FONT + 4)),
    );
    let text = lines.join("\n");
    let shape =
        if node.is_logic { ShapeKind::new_circle(&text) } else { ShapeKind::new_box(&text) };
    let fill = if node.is_entry { "lightgray" } else { "white" };
    let look = StyleAttr::new(Color::fast("black"), 1, Some(Color::fast(fill)), 6, FONT);
    Element::create(shape, look, Orientation::LeftToRight, size)
}

fn line(arrow: &Arrow) -> Line {
    let style = match arrow.kind {
        EdgeKind::Go => LineStyleKind::Normal,
        EdgeKind::Child => LineStyleKind::Dashed,
    };
    let look = StyleAttr::new(Color::fast("black"), 1, None, 0, FONT - 2);
    let label = arrow.labels.join("\n");
    Line::new(LineEndKind::None, LineEndKind::Arrow, style, &label, &look, &None, &None)
}

#[expect(clippy::cast_precision_loss, reason = "lengths of lines of text are small")]
fn to_f64(length: usize) -> f64 {
    length as f64
}
