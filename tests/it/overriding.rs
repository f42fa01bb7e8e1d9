//! Methods without an attribute: they override what has their name, handle what is exposed by it, or it is said why not.
#![expect(
    dead_code,
    unreachable_pub,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_self,
    reason = "all forms of a method are under test, also those that nothing can call"
)]

use crate::{
    build_report::faults,
    build_warnings::warnings,
    support::{Talk, TestFlow, answers, definition},
};
use picoflow::{
    flow::{BuildFault, BuildWarning},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::borrow::Cow;

type Reply = ToolResponse;
type Answer<T> = Result<T, ToolError>;

struct Base;

#[tools]
impl Step for Base {
    /// Leave
    #[tool(define)]
    pub fn leave(&self, reason: String) -> ToolResponse {
        stay_with(format!("base: {reason}"))
    }

    #[tools(["leave", "other"])]
    fn several(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("base: {} calls", calls.len()))
    }

    /// Another one
    #[tool(define)]
    fn other(&self) -> ToolResponse {
        stay_with("base other")
    }
}

/// Steps on `Base`, each with one method.
macro_rules! derived {
    ($($step:ident { $($method:tt)* })*) => {$(
        struct $step;

        #[tools]
        impl Step for $step {
            fn base(&self) -> Option<&dyn AnyStep> {
                Some(&Base)
            }

            $($method)*
        }
    )*};
}

derived! {
    Named { fn leave(&self, reason: String) -> ToolResponse { stay_with(format!("derived: {reason}")) } }
    Public { pub fn leave(&self, reason: String) -> ToolResponse { stay_with(format!("derived: {reason}")) } }
    Data { fn leave(&self, reason: String) -> Json<String> { Json(format!("derived: {reason}")) } }
    Alias { fn leave(&self, reason: String) -> Reply { stay_with(format!("derived: {reason}")) } }
    AliasAlone { async fn leave(&self, _cx: &mut Cx<'_>) -> Reply { stay_with("derived") } }
    AliasOfResult { pub async fn leave(&self, cx: &mut Cx<'_>, reason: Option<String>) -> Answer<Reply> {
        cx.save_state(json!({ "left": true }));
        Ok(stay_with(format!("derived: {}", reason.unwrap_or_default())))
    } }
    Failing { async fn leave(&self, reason: String) -> Result<Json<String>, ToolError> {
        Err(ToolError::feedback(format!("derived: {reason}")))
    } }
}

async fn answer(steps: Steps, calls: Vec<(&'static str, Value)>) -> Vec<String> {
    let model =
        ScriptedModel::new().on_call(Rule::new().latest("Hi"), calls).on(Rule::new(), "Done.");
    let mut talk = Talk::new(steps, model).await;
    talk.say("Hi").await;
    answers(&talk.last_request())
}

#[tokio::test]
async fn a_method_of_a_handlers_name_overrides_whatever_its_form() {
    for steps in [
        Steps::new().add(Named),
        Steps::new().add(Public),
        Steps::new().add(Data),
        Steps::new().add(Alias),
        Steps::new().add(AliasAlone),
        Steps::new().add(AliasOfResult),
        Steps::new().add(Failing),
    ] {
        let step = format!("{steps:?}");
        let answers = answer(steps, vec![("leave", json!({ "reason": "late" }))]).await;
        assert!(answers[0].trim_matches('"').starts_with("derived"), "{step}: {answers:?}");
    }
}

derived! {
    Group { fn several(&self, calls: &[ToolCall]) -> Answer<Json<usize>> { Ok(Json(calls.len() * 10)) } }
    GroupUnfit { fn several(&self, calls: usize) -> usize { calls } }
    GroupSingle { fn several(&self) -> Reply { stay() } }
    Text { fn leave(&self, reason: String) -> String { reason } }
    Borrows { fn leave(&self, reason: &str) -> ToolResponse { stay_with(reason) } }
    Opaque { fn leave(&self, reason: std::process::Command) -> ToolResponse { stay_with(format!("{reason:?}")) } }
    Mutable { fn leave(&mut self) -> ToolResponse { stay() } }
    Associated { fn leave() -> ToolResponse { stay() } }
    Generic { fn leave<T: Into<String>>(&self, reason: T) -> ToolResponse { stay_with(reason.into()) } }
    Unusable { fn leave(&self) -> Answer<u8> { Ok(1) } }
}

#[tokio::test]
async fn a_group_handler_is_overridden_by_name_too() {
    let calls = vec![("leave", json!({ "reason": "a" })), ("other", json!({}))];
    assert_eq!(answer(Steps::new().add(Group), calls).await, ["20", "20"]);
}

#[tokio::test]
async fn a_method_that_cannot_override_fails_the_build() {
    for (steps, name, part) in [
        (Steps::new().add(Text), "leave", "does not return"),
        (Steps::new().add(Borrows), "leave", "its parameter `reason`"),
        (Steps::new().add(Opaque), "leave", "its parameter `reason`"),
        (Steps::new().add(Mutable), "leave", "`&self`"),
        (Steps::new().add(Associated), "leave", "`&self`"),
        (Steps::new().add(Generic), "leave", "generic"),
        (Steps::new().add(Unusable), "leave", "does not return"),
        (Steps::new().add(GroupUnfit), "several", "does not return"),
    ] {
        let faults = faults(TestFlow::new(steps)).await;
        let [BuildFault::CannotOverride { step, method, base, reason }] = &*faults else {
            panic!("{faults:?}");
        };
        assert_eq!((&**method, &**base), (name, "step `Base`"), "{step}");
        assert!(reason.contains(part), "{step}: {reason}");
        let text = faults[0].to_string();
        for part in [&*format!("step `{step}`"), "`ToolResponse`", "another name"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let faults = faults(TestFlow::new(Steps::new().add(GroupSingle))).await;
    assert!(matches!(&*faults, [BuildFault::HandlerKind { method: "several", .. }]), "{faults:?}");
}

struct WithLeave(Steps);

#[tools]
impl Flow for WithLeave {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        self.0.clone()
    }

    /// Leave
    #[tool(define)]
    fn leave(&self, reason: String) -> ToolResponse {
        stay_with(format!("flow: {reason}"))
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        vec![NativeTool::new(definition("native"), |_arguments, _cx| async { "flow" })]
    }
}

struct Desk;

#[tools]
impl Step for Desk {
    fn leave(&self, reason: String) -> Json<String> {
        Json(format!("desk: {reason}"))
    }

    fn native(&self) -> Reply {
        stay_with("desk")
    }
}

struct BadDesk;

#[tools]
impl Step for BadDesk {
    fn leave(&self) -> String {
        self.native().to_string()
    }

    fn native(&self) -> u8 {
        0
    }
}

#[tokio::test]
async fn the_flow_is_overridden_as_the_last_base() {
    let calls = [("leave", json!({ "reason": "late" })), ("native", json!({}))];
    let model =
        ScriptedModel::new().on_call(Rule::new().latest("Hi"), calls).on(Rule::new(), "Done.");
    let mut talk = Talk::of(WithLeave(Steps::new().add(Desk)), model).await;
    talk.say("Hi").await;
    assert_eq!(answers(&talk.last_request()), ["\"desk: late\"", "desk"]);

    let faults = faults(WithLeave(Steps::new().add(BadDesk))).await;
    let bases: Vec<_> = faults
        .iter()
        .map(|fault| match fault {
            BuildFault::CannotOverride { method, base, .. } => (&**method, &**base),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(bases, [("leave", "the flow"), ("native", "the flow")]);
}

/// Names a tool that the flow defines; the method has no attribute.
macro_rules! uses {
    ($($step:ident { $($method:tt)* })*) => {$(
        struct $step;

        #[tools]
        impl Step for $step {
            fn use_tools(&self) -> Vec<Cow<'static, str>> {
                vec!["book".into()]
            }

            $($method)*
        }
    )*};
}

uses! {
    BooksByField { fn book(&self, seats: Option<u8>) -> Json<Option<u8>> { Json(seats) } }
    BooksText { fn book(&self) -> String { String::new() } }
    BooksGroup { fn book(&self, _calls: &[ToolCall]) -> ToolResponse { stay() } }
    BooksOther { #[tool("other")] fn book(&self) -> ToolResponse { stay() } }
    BooksMore { fn book(&self, seats: u8) -> ToolResponse { stay_with(seats.to_string()) } }
    BooksTwice {
        #[tool("book")] fn book_it(&self) -> ToolResponse { stay() }
        /// Book
        fn book(&self) -> ToolResponse { stay() }
    }
    BooksWithHelp {
        #[tool("book")] fn book_it(&self) -> ToolResponse { self.book() }
        /// Books.
        fn book(&self) -> ToolResponse { stay() }
    }
}

fn booking(steps: Steps) -> TestFlow {
    TestFlow::new(steps).define(["book", "other"])
}

#[tokio::test]
async fn named_parameters_are_handled_by_the_methods_own_name() {
    struct Defines(Value);
    impl Step for Defines {
        const ID: StepId = StepId::new("Defines");
        fn define_tools(&self) -> Vec<ToolDefinition> {
            vec![ToolDefinition::new("book", "Book", self.0.clone())]
        }
    }
    let schema =
        json!({ "type": "object", "properties": { "seats": { "type": ["integer", "null"] } } });
    let calls = vec![("book", json!({ "seats": 4 }))];
    let steps = Steps::new().add(BooksByField).add(Defines(schema));
    assert_eq!(answer(steps, calls).await, ["4"]);
}

#[tokio::test]
async fn a_method_of_the_tools_name_that_is_not_reached_is_named() {
    for (steps, part) in [
        (Steps::new().add(BooksText), "does not return"),
        (Steps::new().add(BooksGroup), "`#[tools([\"book\"])]`"),
        (Steps::new().add(BooksOther), "`#[tool(\"book\")]`"),
    ] {
        let warnings = warnings(booking(steps)).await;
        let unfit = warnings.iter().find_map(|warning| match warning {
            BuildWarning::UnfitHandler { tool, reason, .. } if tool == "book" => Some(reason),
            _ => None,
        });
        assert!(unfit.unwrap().contains(part), "{warnings:?}");
        let text = warnings.iter().map(ToString::to_string).collect::<String>();
        assert!(text.contains("its method `book` is not reached"), "{text}");
    }
}

#[tokio::test]
async fn its_parameters_are_held_against_the_definition() {
    let warnings = warnings(booking(Steps::new().add(BooksMore))).await;
    assert!(
        matches!(&warnings[..], [.., BuildWarning::SchemaMismatch { method: "book", reason, .. }] | [BuildWarning::SchemaMismatch { method: "book", reason, .. }, ..] if reason.contains("`seats`")),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn a_method_that_another_one_shadows_is_named() {
    let shadowed = |warnings: Vec<BuildWarning>| {
        warnings.into_iter().any(|warning| {
            matches!(warning, BuildWarning::ShadowedHandler { tool, handler: "book_it", .. } if tool == "book")
        })
    };
    assert!(shadowed(warnings(booking(Steps::new().add(BooksTwice))).await));
    assert!(!shadowed(warnings(booking(Steps::new().add(BooksWithHelp))).await));
}

/// A base handles `book` by a method of another name; the derived step has one of the tool's name.
struct Books(BooksTwiceBase);

#[tools]
impl Step for Books {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn book(&self) -> ToolResponse {
        stay()
    }
}

struct BooksTwiceBase;

#[tools]
impl Step for BooksTwiceBase {
    #[tool("book")]
    fn book_it(&self) -> ToolResponse {
        stay()
    }
}

#[tokio::test]
async fn a_method_of_a_bases_tool_name_is_named() {
    let warnings =
        warnings(TestFlow::new(Steps::new().add(Books(BooksTwiceBase))).define(["book"]));
    assert_eq!(
        warnings.await,
        [BuildWarning::ShadowedHandler {
            step: Books::ID,
            tool: "book".to_owned(),
            handler: "book_it",
        }]
    );
}
