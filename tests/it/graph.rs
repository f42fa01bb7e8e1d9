//! The picture of a flow.

use crate::{flow::BasicFlow, offline::OfflineModel, support::TestFlow};
use picoflow::{
    flow::{EdgeKind, FlowGraph},
    prelude::*,
    testing::ScriptedModel,
};
use std::collections::BTreeSet;

async fn basic_flow() -> FlowGraph {
    let engine = Engine::builder()
        .flow(BasicFlow::offline())
        .model(OfflineModel)
        .strict()
        .build()
        .await
        .unwrap();
    engine.flow("BasicFlow").unwrap().graph()
}

#[tokio::test]
async fn the_graph_of_the_example_has_every_edge_of_its_code_and_no_other() {
    let graph = basic_flow().await;
    let edges: BTreeSet<_> = graph
        .edges
        .iter()
        .map(|edge| {
            (edge.from.as_str(), edge.to.as_str(), edge.method, edge.kind == EdgeKind::Child)
        })
        .collect();
    let end = "TerminateSessionStep";
    let expected = BTreeSet::from([
        ("WeatherStep", "FooLogicStep", "look_up", false),
        ("WeatherStep", end, "leave", false),
        ("PresidentStep", "WeatherStep", "begin_visit", false),
        ("PresidentStep", end, "leave", false),
        ("FooLogicStep", "GooLogicStep", "run_logic", false),
        ("GooLogicStep", "FavoritesStep", "run_logic", false),
        ("FavoritesStep", "NameStep", "on_response", false),
        ("NameStep", "InContextStep", "user_name", true),
        ("NameStep", "DOBStep", "user_name", false),
        ("NameStep", end, "leave", false),
        ("InContextStep", "ConcurStep1", "on_enter", true),
        ("InContextStep", "ConcurStep2", "on_enter", true),
        ("ConcurStep1", "ConcurStep3", "complete_concurrent_step1", true),
        ("ConcurStep2", "ConcurStep4", "on_enter", true),
        ("DOBStep", "AddressStep", "dob", false),
        ("DOBStep", end, "leave", false),
        ("AddressStep", end, "address", false),
        ("AddressStep", end, "leave", false),
    ]);
    assert_eq!(edges, expected);

    let handled = graph.edges.iter().find(|edge| edge.method == "leave").unwrap();
    assert_eq!(handled.tools, ["terminate_session"]);
    let entries: Vec<_> =
        graph.nodes.iter().filter(|node| node.is_entry).map(|node| node.step.as_str()).collect();
    assert_eq!(entries, ["WeatherStep", "PresidentStep"]);
    let logic: Vec<_> =
        graph.nodes.iter().filter(|node| node.is_logic).map(|node| node.step.as_str()).collect();
    assert_eq!(logic, ["FooLogicStep", "GooLogicStep"]);
}

#[tokio::test]
async fn mermaid_and_dot_draw_every_step_and_every_arrow() {
    let graph = basic_flow().await;
    let (mermaid, dot) = (graph.to_mermaid(), graph.to_dot());
    for node in &graph.nodes {
        assert!(mermaid.contains(node.step.as_str()));
        assert!(dot.contains(node.step.as_str()));
    }
    // Two methods of `AddressStep` lead to the end: one arrow.
    let arrows = graph.edges.len() - 1;
    assert_eq!(mermaid.matches("->|").count(), arrows);
    assert_eq!(dot.matches(" -> ").count(), arrows);
    assert!(mermaid.contains("-.->|\"user_name\"|"));
    assert!(dot.contains("style=dashed"));
}

#[tokio::test]
async fn the_picture_of_the_readme_is_the_examples_own() {
    let readme = include_str!("../../README.md");
    let mermaid = basic_flow().await.to_mermaid();
    assert!(readme.contains(&mermaid), "the README should show:\n{mermaid}");
}

#[cfg(feature = "svg")]
#[tokio::test]
async fn svg_draws_every_step() {
    let graph = basic_flow().await;
    let svg = graph.to_svg();
    assert!(svg.starts_with("<?xml"));
    for node in &graph.nodes {
        assert!(svg.contains(node.step.as_str()));
    }
}

#[tokio::test]
async fn names_that_mean_something_to_a_picture_are_quoted() {
    struct Odd;
    impl Step for Odd {
        const ID: StepId = StepId::new("<b>\"Odd\\step\"</b>");
    }
    struct OddFlow;
    impl Flow for OddFlow {
        const ID: FlowId = FlowId::new("Odd \"flow\"");
        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }
        fn steps(&self) -> Steps {
            Steps::new().add(Odd.memory("odd"))
        }
    }
    let engine = Engine::builder().flow(OddFlow).model(ScriptedModel::new()).build().await.unwrap();
    let graph = engine.flow("Odd \"flow\"").unwrap().graph();
    assert!(graph.to_mermaid().contains("&lt;b&gt;&quot;Odd\\step&quot;&lt;/b&gt;"));
    assert!(graph.to_dot().contains(r#"label="<b>\"Odd\\step\"</b>""#));
    assert!(graph.to_dot().starts_with(r#"digraph "Odd \"flow\"" {"#));
}

/// Calls the porter, and goes to the lobby once it has answered.
struct Concierge;

#[tools]
impl Step for Concierge {
    async fn on_response(
        &self,
        _cx: &mut Cx<'_>,
        _output: ModelOutput,
    ) -> HookResult<StepResponse> {
        Ok(Self::next())
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.run_step(Porter::ID, None).await?;
        Ok(())
    }

    fn next() -> StepResponse {
        go(Lobby::ID)
    }
}

/// Stays where it is, whatever its base does.
struct NightConcierge;

#[tools]
impl Step for NightConcierge {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&Concierge)
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    fn is_end(&self, _cx: &Cx<'_>) -> bool {
        Self::next()
    }

    fn next() -> bool {
        false
    }
}

struct Porter;

#[tools]
impl Step for Porter {}

struct Lobby;

#[tools]
impl Step for Lobby {}

#[tokio::test]
async fn a_hook_that_names_no_step_hides_the_edges_of_its_base() {
    let steps = Steps::new().add(NightConcierge).add(Porter).add(Lobby);
    let engine = Engine::builder().flow(TestFlow::new(steps)).model(ScriptedModel::new());
    let graph = engine.build().await.unwrap().flow(TestFlow::ID.as_str()).unwrap().graph();
    let edges: Vec<_> = graph.edges.iter().map(|edge| (edge.to.as_str(), edge.method)).collect();
    // A helper overrides nothing: the base calls its own.
    assert_eq!(edges, [("Lobby", "next")]);
}
