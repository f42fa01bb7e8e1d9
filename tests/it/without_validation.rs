//! What holds when the feature `validate` is off: the handlers' types are the only check, and still no argument gets past
//! them half-parsed.
#![cfg(not(feature = "validate"))]

use crate::support::{Talk, answers};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct Desk;

#[tools]
impl Step for Desk {
    /// Takes a count
    #[tool(define)]
    fn typed(&self, count: u32) -> Json<u32> {
        Json(count)
    }

    /// Takes nothing
    #[tool(define)]
    fn nothing(&self) -> Json<&'static str> {
        Json("ran")
    }

    #[tools(["nothing", "typed"])]
    fn both(&self, _calls: &[ToolCall]) -> Json<&'static str> {
        Json("both ran")
    }
}

async fn told<const N: usize>(calls: [(&str, &str); N]) -> Vec<String> {
    let model =
        ScriptedModel::new().on_call_text(Rule::new().latest("go"), calls).on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Desk), model).await;
    talk.say("go").await;
    answers(&talk.last_request())
}

#[tokio::test]
async fn a_wrong_type_is_told_with_its_path_what_was_expected_and_what_came() {
    let told = told([("typed", r#"{"count":"five"}"#)]).await;
    for part in ["`/count`", "u32", "\"five\""] {
        assert!(told[0].contains(part), "{part}: {}", told[0]);
    }
}

#[tokio::test]
async fn malformed_json_reaches_no_handler_whether_it_reads_arguments_or_not() {
    for tool in ["typed", "nothing"] {
        let told = told([(tool, "{\"count\":")]).await;
        assert!(told[0].contains("malformed JSON"), "{}", told[0]);
    }
    let told = told([("typed", "{}"), ("nothing", "{")]).await;
    assert!(told[1].contains("malformed JSON"), "{}", told[1]);
    assert!(told[0].contains("Not run"), "{}", told[0]);
}
