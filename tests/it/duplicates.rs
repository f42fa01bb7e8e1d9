//! One name for two tools: two definitions, or two handlers, wherever they are from.

use crate::{
    build_report::faults,
    support::{Talk, TestFlow, answers, definition},
};
use picoflow::{
    flow::BuildFault,
    no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A tool that answers with `text`, of one definition and one place in the code for all texts.
fn says(text: &'static str) -> NativeTool {
    NativeTool::new(definition("say"), move |_arguments, _cx| async move { text })
}

struct Orders(&'static str);

#[tools]
impl Orders {
    /// Say something
    #[tool]
    fn say(&self) -> String {
        self.0.to_owned()
    }
}

fn orders(text: &'static str) -> Vec<NativeTool> {
    collect_tools(Arc::new(Orders(text)))
}

/// Gives the native tools that it is made with.
struct Gives(fn() -> Vec<NativeTool>);

#[tools]
impl Step for Gives {
    fn native_tools(&self) -> Vec<NativeTool> {
        (self.0)()
    }
}

/// Both places of the only fault.
async fn places(flow: impl Flow) -> [String; 2] {
    let faults = faults(flow).await;
    match &*faults {
        [BuildFault::DuplicateTool { tool, first, second, .. }] if tool == "say" => {
            [first.clone(), second.clone()]
        }
        _ => panic!("{faults:?}"),
    }
}

#[tokio::test]
async fn two_values_of_one_collection_are_a_duplicate() {
    let both = || [orders("one"), orders("two")].concat();
    let [first, second] = places(TestFlow::new(Steps::new().add(Gives(both)))).await;
    let expected = "step `Gives` (native tool, collection `it::duplicates::Orders`)";
    assert_eq!([&*first, &*second], [expected, expected]);
}

#[tokio::test]
async fn two_closures_under_one_definition_are_a_duplicate() {
    let both = || {
        let other = NativeTool::new(definition("say"), |_arguments, _cx| async { "other" });
        vec![says("one"), other]
    };
    let [first, second] = places(TestFlow::new(Steps::new().add(Gives(both)))).await;
    assert_ne!(first, second);
    assert!(first.contains("tests/it/duplicates.rs:"), "{first}");

    let both = || vec![says("one"), says("two")];
    places(TestFlow::new(Steps::new().add(Gives(both)))).await;
}

#[tokio::test]
async fn the_text_of_a_duplicate_says_the_way_out() {
    let both = || vec![says("one"), says("two").with_origin("plugin `b`")];
    let faults = faults(TestFlow::new(Steps::new().add(Gives(both)))).await;
    let text = faults[0].to_string();
    for part in ["step `Gives`", "plugin `b`", "another name", "a prefix", "define, overrides"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn native_tools_of_step_and_flow_are_a_duplicate() {
    struct Shop;

    #[tools]
    impl Flow for Shop {
        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }

        fn steps(&self) -> Steps {
            Steps::new().add(Gives(|| orders("step")))
        }

        fn native_tools(&self) -> Vec<NativeTool> {
            orders("flow")
        }
    }

    let [first, second] = places(Shop).await;
    assert!(first.starts_with("step `Gives`"), "{first}");
    assert!(second.starts_with("the flow (native tool"), "{second}");
}

/// Handles what its own native tool handles.
struct Both;

#[tools]
impl Step for Both {
    fn native_tools(&self) -> Vec<NativeTool> {
        vec![says("native")]
    }

    #[tool]
    fn say(&self) -> ToolResponse {
        stay_with("method")
    }
}

/// The same, and both define it alike.
struct BothDefine;

#[tools]
impl Step for BothDefine {
    fn native_tools(&self) -> Vec<NativeTool> {
        vec![says("native")]
    }

    /// The tool say
    #[tool(define)]
    fn say(&self) -> ToolResponse {
        stay_with("method")
    }
}

/// The same without an attribute.
struct BothByName;

#[tools]
impl Step for BothByName {
    fn native_tools(&self) -> Vec<NativeTool> {
        vec![says("native")]
    }

    fn say(&self) -> ToolResponse {
        stay_with("method")
    }
}

#[tokio::test]
async fn a_native_tool_and_a_method_are_a_duplicate() {
    for steps in
        [Steps::new().add(Both), Steps::new().add(BothDefine), Steps::new().add(BothByName)]
    {
        let places = places(TestFlow::new(steps)).await;
        assert!(
            places
                .iter()
                .any(|place| place.contains("(method `say`)") || !place.contains("native"))
        );
        assert!(places.iter().any(|place| place.contains("native tool")), "{places:?}");
    }
}

/// A base whose method its derived step's native tool would hide.
struct Speaks;

#[tools]
impl Step for Speaks {
    #[tool]
    fn say(&self) -> ToolResponse {
        stay_with("base")
    }
}

struct Hides(Speaks);

#[tools]
impl Step for Hides {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        orders("native")
    }
}

#[tokio::test]
async fn a_native_tool_over_a_bases_method_is_a_duplicate() {
    let places = places(TestFlow::new(Steps::new().add(Hides(Speaks)))).await;
    assert_eq!(
        places,
        ["step `Hides` (native tool, collection `it::duplicates::Orders`)", "step `Speaks`"]
    );
}

struct Lists(&'static str);

#[tools]
impl Step for Lists {
    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![definition(self.0), definition(self.0)]
    }

    fn say(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn one_list_with_equal_definitions_is_a_duplicate() {
    let [first, second] = places(TestFlow::new(Steps::new().add(Lists("say")))).await;
    assert_eq!([&*first, &*second], ["step `Lists` (`define_tools`)"; 2]);
}

struct One;

impl Step for One {
    const ID: StepId = StepId::new("One");

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![definition("say")]
    }
}

#[tokio::test]
async fn equal_definitions_of_step_and_flow_are_a_duplicate() {
    let flow = TestFlow::new(Steps::new().add(One)).define(["say"]);
    assert_eq!(places(flow).await, ["step `One`", "the flow"]);
}

/// A base that makes its tools at each call, and counts the calls.
struct Base(&'static str, Arc<AtomicUsize>);

#[tools]
impl Step for Base {
    fn native_tools(&self) -> Vec<NativeTool> {
        self.1.fetch_add(1, Ordering::Relaxed);
        vec![says(self.0)]
    }
}

/// Inherits the tools by leaving the hook out.
struct Inherits(Base);

#[tools]
impl Step for Inherits {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

/// Takes them over by name.
struct Adds(Base);

#[tools]
impl Step for Adds {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let mut tools = self.0.native_tools();
        let more = ToolDefinition::new("more", "One more", no_arguments());
        tools.push(NativeTool::new(more, |_arguments, _cx| async { "more" }));
        tools
    }
}

/// Puts another handler under an equal definition, made by the same code.
struct Replaces(Base);

#[tools]
impl Step for Replaces {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        vec![says("replaced")]
    }
}

fn base(text: &'static str) -> Base {
    Base(text, Arc::default())
}

#[tokio::test]
async fn native_tools_inherited_from_one_base_are_no_duplicate() {
    for (initial, expected) in [("Inherits", "first"), ("Adds", "second"), ("Base", "third")] {
        let steps =
            Steps::new().add(Inherits(base("first"))).add(Adds(base("second"))).add(base("third"));
        let model = ScriptedModel::new()
            .on_call(Rule::new().latest("Hi"), [("say", json!({}))])
            .on(Rule::new(), "done");
        let mut talk = Talk::of(TestFlow::new(steps).initial(initial), model).await;
        talk.say("Hi").await;
        assert_eq!(answers(&talk.last_request()), [expected]);
    }
}

#[tokio::test]
async fn a_bases_native_tools_are_asked_for_once_per_step() {
    let calls = Arc::<AtomicUsize>::default();
    let steps = Steps::new().add(Adds(Base("text", Arc::clone(&calls))));
    Talk::of(TestFlow::new(steps), ScriptedModel::new()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn another_handler_under_the_bases_definition_is_a_duplicate() {
    let steps = Steps::new().add(Replaces(base("a"))).add(Inherits(base("b")));
    let [first, second] = places(TestFlow::new(steps)).await;
    assert!(first.starts_with("step `Replaces`"), "{first}");
    assert!(second.starts_with("step `Base`"), "{second}");
}

/// A base and a derived step without `#[tools]`.
struct PlainBase(NativeTool);

impl Step for PlainBase {
    const ID: StepId = StepId::new("PlainBase");

    fn native_tools(&self) -> Vec<NativeTool> {
        vec![self.0.clone(), NativeTool::new(definition("new"), |_arguments, _cx| async { "new" })]
    }
}

struct PlainLeft(PlainBase);

impl Step for PlainLeft {
    const ID: StepId = StepId::new("PlainLeft");

    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        self.0.native_tools()
    }
}

struct PlainRight(PlainBase, Vec<NativeTool>);

impl Step for PlainRight {
    const ID: StepId = StepId::new("PlainRight");

    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let mut tools = self.0.native_tools();
        tools.extend(self.1.clone());
        tools
    }
}

#[tokio::test]
async fn steps_without_the_attribute_inherit_native_tools_too() {
    let steps = |more| {
        let right = PlainRight(PlainBase(says("b")), more);
        TestFlow::new(Steps::new().add(PlainLeft(PlainBase(says("a")))).add(right))
    };
    Talk::of(steps(Vec::new()), ScriptedModel::new()).await;
    places(steps(vec![says("c")])).await;
}
