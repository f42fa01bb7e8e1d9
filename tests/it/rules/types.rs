//! What cannot be written: which types a handler may return and a transition may name.

use picoflow::{AtTool, IntoToolResponse, prelude::*};
use std::marker::PhantomData;

#[test]
fn transitions_compare_by_what_they_say() {
    let go = |name| go::<AtTool>(name);
    assert_eq!(go("HelperStep"), go("HelperStep"));
    assert_ne!(go("HelperStep"), go("OtherStep"));
    assert_eq!(stay_with("Try again"), stay().with_tool_feedback("Try again"));
    assert_eq!(
        go("A").with_prompt("p").with_message("m"),
        go("A").with_message("m").with_prompt("p")
    );
    let done = direct("Done");
    assert_eq!(done.content(), Some("Done"));
    assert_eq!((done.target(), done.tool_feedback()), (None, None));
}

/// Whether a handler, of one call or of a group, may return `T`: the inherent method is there only if it may.
struct Returns<T>(PhantomData<T>);

impl<T: IntoToolResponse> Returns<T> {
    #[expect(clippy::unused_self, reason = "the trait's method takes it")]
    fn routes(&self) -> bool {
        true
    }
}

trait DoesNot {
    fn routes(&self) -> bool {
        false
    }
}

impl<T> DoesNot for Returns<T> {}

macro_rules! routes {
    ($($kind:ty),* $(,)?) => {
        [$(Returns::<$kind>(PhantomData).routes()),*]
    };
}

/// Whether `T` names the target of a transition, likewise.
struct Names<T>(PhantomData<T>);

impl<T: Into<StepId>> Names<T> {
    #[expect(clippy::unused_self, reason = "the trait's method takes it")]
    fn routes(&self) -> bool {
        true
    }
}

impl<T> DoesNot for Names<T> {}

macro_rules! names {
    ($($kind:ty),* $(,)?) => {
        [$(Names::<$kind>(PhantomData).routes()),*]
    };
}

#[test]
fn a_target_is_the_name_of_a_step() {
    assert_eq!(names![StepId, &StepId, &'static str, String], [true; 4]);
    assert_eq!(
        names![(), u64, bool, Value, Option<StepId>, FlowId, TerminateSessionStep],
        [false; 7]
    );
}

#[test]
fn what_does_not_route_is_no_result_of_a_handler() {
    let may = routes![
        ToolResponse,
        Json<Value>,
        Result<ToolResponse, ToolError>,
        Result<Json<u8>, std::fmt::Error>,
    ];
    assert_eq!(may, [true; 4]);
    let may_not = routes![
        (),
        Option<ToolResponse>,
        StepResponse,
        StepId,
        &'static str,
        String,
        u64,
        f64,
        bool,
        Vec<ToolResponse>,
        [u8; 2],
        Value,
        Result<(), ToolError>,
    ];
    assert_eq!(may_not, [false; 13]);
}
