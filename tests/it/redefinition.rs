//! `#[tool(define, overrides)]`: a step defines anew what a base defines.

use crate::{
    build_report::{Bare, faults},
    support::{Talk, TestFlow, answers, exposed},
};
use picoflow::{
    flow::BuildFault,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct Base;

#[tools]
impl Step for Base {
    /// Book a table
    #[tool(define)]
    fn book(&self, seats: u8) -> ToolResponse {
        stay_with(format!("base {seats}"))
    }
}

/// Asks for more.
struct Terrace(Base);

#[tools]
impl Step for Terrace {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    /// Book a table outside
    #[tool(define, overrides, strict)]
    fn book(&self, place: String) -> ToolResponse {
        stay_with(format!("terrace {place}"))
    }
}

/// Derives from the one that redefines.
struct Garden(Terrace);

#[tools]
impl Step for Garden {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

/// Inherits the base's.
struct Hall(Base);

#[tools]
impl Step for Hall {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

fn steps() -> Steps {
    Steps::new().add(Terrace(Base)).add(Garden(Terrace(Base))).add(Hall(Base)).add(Base)
}

async fn talk(initial: &str, arguments: Value) -> Talk {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("book", arguments)])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::of(TestFlow::new(steps()).initial(initial.to_owned()), model).await;
    talk.say("Hi").await;
    talk
}

#[tokio::test]
async fn each_step_sees_the_definition_of_its_chain() {
    let engine = Engine::builder().flow(TestFlow::new(steps())).model(ScriptedModel::new());
    let engine = engine.strict().build().await.unwrap();
    for (step, description, field) in [
        ("Terrace", "Book a table outside", "place"),
        ("Garden", "Book a table outside", "place"),
        ("Hall", "Book a table", "seats"),
        ("Base", "Book a table", "seats"),
    ] {
        assert_eq!(exposed(&engine, step), ["book"]);
        let tool = engine.flow("TestFlow").unwrap().step(step).unwrap().tools().next().unwrap();
        assert_eq!((tool.description(), tool.is_strict()), (description, field == "place"));
        assert_eq!(tool.schema()["required"], json!([field]), "{step}");
    }
}

#[tokio::test]
async fn arguments_are_checked_against_the_steps_own_definition() {
    for (step, arguments, expected) in [
        ("Terrace", json!({ "place": "south" }), "terrace south"),
        ("Garden", json!({ "place": "south" }), "terrace south"),
        ("Hall", json!({ "seats": 4 }), "base 4"),
        ("Base", json!({ "seats": 4 }), "base 4"),
    ] {
        let talk = talk(step, arguments).await;
        assert_eq!(answers(&talk.last_request()), [expected], "{step}");
        let told = &talk.last_request().tools[0];
        assert_eq!(told.is_strict(), expected.starts_with("terrace"), "{step}");
    }
    let talk = talk("Garden", json!({ "seats": 4 })).await;
    let answers = answers(&talk.last_request());
    assert!(answers[0].contains("place"), "{answers:?}");
}

/// Redefines without saying so.
struct Silent(Base);

#[tools]
impl Step for Silent {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    /// Book a table silently
    #[tool(define)]
    fn book(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn a_definition_without_overrides_is_still_a_duplicate() {
    let faults = faults(TestFlow::new(Steps::new().add(Silent(Base)))).await;
    let [BuildFault::DuplicateTool { first, second, .. }] = &*faults else {
        panic!("{faults:?}");
    };
    assert_eq!([&**first, &**second], ["step `Silent`", "step `Base`"]);
    assert!(faults[0].to_string().contains("`#[tool(define, overrides)]`"), "{}", faults[0]);
}

/// Handles without defining.
struct Handles;

#[tools]
impl Step for Handles {
    fn lost(&self) -> ToolResponse {
        stay()
    }
}

macro_rules! defines {
    ($($step:ident)*) => {$(
        struct $step(Handles);

        #[tools]
        impl Step for $step {
            fn base(&self) -> Option<&dyn AnyStep> {
                Some(&self.0)
            }

            #[doc = stringify!($step)]
            #[tool(define, overrides)]
            fn lost(&self) -> ToolResponse {
                stay()
            }
        }
    )*};
}

defines! { Left Right }

#[tokio::test]
async fn what_only_redefining_steps_define_others_cannot_expose() {
    let steps = Steps::new().add(Left(Handles)).add(Right(Handles));
    Talk::new(steps.clone(), ScriptedModel::new()).await;
    let faults = faults(TestFlow::new(steps.add(Bare(&["lost"])))).await;
    assert_eq!(
        faults,
        [BuildFault::OnlyRedefined {
            flow: TestFlow::ID,
            step: Bare::ID,
            tool: "lost".to_owned(),
            definers: vec!["step `Left`".to_owned(), "step `Right`".to_owned()],
        }]
    );
    let text = faults[0].to_string();
    assert!(text.contains("`Flow::define_tools`"), "{text}");
}

/// A native tool of the flow, redefined by a step.
struct WithNative(Steps);

impl Flow for WithNative {
    const ID: FlowId = FlowId::new("WithNative");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        self.0.clone()
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let book = ToolDefinition::new("book", "Book", picoflow::no_arguments());
        vec![NativeTool::new(book, |_arguments, _cx| async { "native" })]
    }
}

struct Own;

#[tools]
impl Step for Own {
    /// Book here
    #[tool(define, overrides)]
    fn book(&self, seats: u8) -> Json<u8> {
        Json(seats)
    }
}

#[tokio::test]
async fn a_native_tool_of_the_flow_is_redefined_too() {
    let flow = WithNative(Steps::new().add(Own).add(Bare(&[])));
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new());
    let engine = engine.strict().build().await.unwrap();
    let described = |step: &str| {
        let flow = engine.flow("WithNative").unwrap();
        flow.step(step).unwrap().tools().next().unwrap().description().to_owned()
    };
    assert_eq!([described("Own"), described("Bare")], ["Book here", "Book"]);
}
