//! Steps that build on other steps.

use crate::support::{Journal, Talk, TestFlow, answers, definition, exposed};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Learns criteria; `Amenity` and `Price` build on it.
struct Criteria(Journal);

#[tools]
impl Step for Criteria {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Prompt of the base.".into()
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        ["reroute", "inherited", "shadowed", "left", "right"].map(definition).into()
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        self.0.add(format!("entered {}", cx.step_id()));
        Ok(())
    }

    #[tool]
    async fn reroute(&self, cx: &mut Cx<'_>) -> ToolResponse {
        tokio::task::yield_now().await;
        cx.save_state(json!({ "rerouted_by": "base" }));
        stay_with(format!("base reroute of {}", cx.step_id()))
    }

    #[tool("inherited")]
    fn keep(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "kept": cx.last_message().map(|last| &*last.content) }));
        stay_with("base keep")
    }

    #[tool("shadowed")]
    fn below(&self) -> ToolResponse {
        stay_with("base below")
    }

    #[tools(["left", "right"])]
    fn sides(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("base sides of {}", calls.len()))
    }
}

/// Redeclares one method, shadows one tool and handles one group's members.
struct Amenity(Criteria);

#[tools]
impl Step for Amenity {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    async fn reroute(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let _of_base = self.0.reroute(cx).await;
        cx.save_state(json!({ "also": "derived" }));
        Ok(stay_with("derived reroute"))
    }

    #[tool("shadowed", overrides)]
    fn above(&self) -> ToolResponse {
        stay_with("derived above")
    }

    #[tool]
    fn left(&self) -> ToolResponse {
        stay_with("left alone")
    }

    #[tool]
    fn right(&self) -> ToolResponse {
        stay_with("right alone")
    }
}

/// The third of the chain.
struct Luxury(Amenity);

#[tools]
impl Step for Luxury {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let base = self.0.prompt(cx);
        format!("{} And luxury.", base.as_str().unwrap_or_default()).into()
    }

    fn keep(&self) -> ToolResponse {
        stay_with("luxury keep")
    }
}

async fn run(steps: Steps, calls: &[&'static str]) -> Talk {
    let calls: Vec<_> = calls.iter().map(|&name| (name, json!({}))).collect();
    let model =
        ScriptedModel::new().on_call(Rule::new().latest("Hi"), calls).on(Rule::new(), "Done.");
    let mut talk = Talk::new(steps, model).await;
    talk.say("Hi").await;
    talk
}

async fn amenity(calls: &[&'static str]) -> Talk {
    run(Steps::new().add(Amenity(Criteria(Journal::default()))), calls).await
}

#[tokio::test]
async fn a_method_redeclared_without_an_attribute_overrides_and_may_call_the_base() {
    let talk = amenity(&["reroute"]).await;
    assert_eq!(answers(&talk.last_request()), ["derived reroute"]);
    assert_eq!(talk.state("Amenity").await, json!({ "rerouted_by": "base", "also": "derived" }));
}

#[tokio::test]
async fn another_method_under_the_same_tool_name_shadows() {
    let talk = amenity(&["shadowed"]).await;
    assert_eq!(answers(&talk.last_request()), ["derived above"]);
}

#[tokio::test]
async fn a_method_of_the_base_runs_on_the_state_and_the_memory_of_the_derived_step() {
    let talk = amenity(&["inherited"]).await;
    assert_eq!(answers(&talk.last_request()), ["base keep"]);
    assert_eq!(talk.state("Amenity").await, json!({ "kept": "Hi" }));
    assert_eq!(talk.state("Criteria").await, Value::Null);
    let session = talk.session().await;
    let namespaces: Vec<_> = session.flow.memory.keys().map(|name| &**name).collect();
    assert_eq!(namespaces, ["Amenity"]);
}

#[tokio::test]
async fn a_group_is_inherited() {
    let talk = amenity(&["right", "left"]).await;
    assert_eq!(answers(&talk.last_request()), ["base sides of 2", "base sides of 2"]);
    let talk = amenity(&["left"]).await;
    assert_eq!(answers(&talk.last_request()), ["left alone"]);
}

#[tokio::test]
async fn hooks_that_a_step_leaves_out_are_answered_by_its_base() {
    let journal = Journal::default();
    let steps = Steps::new().add(Amenity(Criteria(journal.clone())));
    let talk = run(steps, &["left"]).await;
    assert_eq!(journal.take(), ["entered Amenity"]);
    assert_eq!(talk.last_request().prompt(), "Prompt of the base.");
}

#[tokio::test]
async fn a_chain_of_three_answers_at_the_nearest_place() {
    let journal = Journal::default();
    let steps = Steps::new().add(Luxury(Amenity(Criteria(journal.clone()))));
    let talk = run(steps, &["reroute", "inherited", "shadowed"]).await;
    assert_eq!(
        exposed(&talk.engine, "Luxury"),
        ["reroute", "inherited", "shadowed", "left", "right"]
    );
    assert_eq!(answers(&talk.last_request()), ["derived reroute", "luxury keep", "derived above"]);
    assert_eq!(talk.last_request().prompt(), "Prompt of the base. And luxury.");
    assert_eq!(journal.take(), ["entered Luxury"]);
}

#[tokio::test]
async fn two_steps_on_one_base_keep_apart() {
    struct Price(Criteria);

    #[tools]
    impl Step for Price {
        fn base(&self) -> Option<&dyn AnyStep> {
            Some(&self.0)
        }
    }

    let journal = Journal::default();
    let steps = Steps::new().add(Amenity(Criteria(journal.clone()))).add(Price(Criteria(journal)));
    let model = || {
        ScriptedModel::new()
            .on_call(Rule::new().latest("Hi"), [("inherited", json!({}))])
            .on(Rule::new(), "Done.")
    };
    let mut talk = Talk::of(TestFlow::new(steps.clone()), model()).await;
    talk.say("Hi").await;
    assert_eq!(talk.state("Price").await, Value::Null);
    let mut talk = Talk::of(TestFlow::new(steps).initial("Price"), model()).await;
    talk.say("Hi").await;
    assert_eq!(talk.state("Price").await, json!({ "kept": "Hi" }));
    assert_eq!(talk.state("Amenity").await, Value::Null);
}

/// A base that knows of its users only what its bounds say.
struct Polite<W>(W);

trait Word: Send + Sync + 'static {
    fn word(&self) -> &'static str;
}

#[tools]
impl<W> Step for Polite<W>
where
    W: Word,
{
    const ID: StepId = StepId::new("Polite");

    /// Greet the user
    #[tool(define)]
    fn greet(&self) -> ToolResponse {
        stay_with(format!("{} from {}", self.0.word(), "the base"))
    }
}

struct Formal;

impl Word for Formal {
    fn word(&self) -> &'static str {
        "Good day"
    }
}

/// Inherits the tool.
struct Reception(Polite<Formal>);

#[tools]
impl Step for Reception {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

/// Says that it replaces what a base handles.
struct Bar(Polite<Formal>);

#[tools]
impl Step for Bar {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tool("greet", overrides)]
    fn nod(&self) -> ToolResponse {
        stay_with("A nod.")
    }
}

#[tokio::test]
async fn a_generic_base_lends_its_tools_and_an_asserted_override_replaces_them() {
    for (initial, expected) in [("Reception", "Good day from the base"), ("Bar", "A nod.")] {
        let steps = Steps::new().add(Reception(Polite(Formal))).add(Bar(Polite(Formal)));
        let model = ScriptedModel::new()
            .on_call(Rule::new().latest("Hi"), [("greet", json!({}))])
            .on(Rule::new(), "done");
        let mut talk = Talk::of(TestFlow::new(steps).initial(initial), model).await;
        assert_eq!(exposed(&talk.engine, initial), ["greet"]);
        talk.say("Hi").await;
        assert_eq!(answers(&talk.last_request()), [expected]);
    }
}
