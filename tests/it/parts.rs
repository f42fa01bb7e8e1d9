//! A step whose tools are spread over several blocks.

use crate::support::{Talk, answers, exposed};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct Support;

#[tools(parts("billing", "returns"))]
impl Step for Support {
    /// In the step's own block
    #[tool(define)]
    fn greet(&self) -> ToolResponse {
        stay_with("own")
    }

    #[tools(["invoice", "refund"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay_with("both parts at once")
    }
}

mod returns {
    use super::Support;
    use picoflow::prelude::*;

    #[tools(part = "returns")]
    impl Support {
        /// In another module
        #[tool(define)]
        fn refund(&self, cx: &mut Cx<'_>) -> ToolResponse {
            cx.save_state(json!({ "refunded": true }));
            stay_with("returns")
        }
    }
}

mod billing {
    use super::Support;
    use picoflow::prelude::*;

    #[tools(part = "billing")]
    impl Support {
        /// In a module of its own
        #[tool(define)]
        async fn invoice(&self) -> ToolResponse {
            tokio::task::yield_now().await;
            stay_with("billing")
        }
    }
}

async fn talk(calls: &[&'static str]) -> Talk {
    let calls: Vec<_> = calls.iter().map(|&tool| (tool, json!({}))).collect();
    let model =
        ScriptedModel::new().on_call(Rule::new().latest("Hi"), calls).on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Support), model).await;
    talk.say("Hi").await;
    talk
}

#[tokio::test]
async fn parts_are_exposed_behind_the_own_block_in_the_order_listed() {
    let talk = talk(&["greet"]).await;
    assert_eq!(exposed(&talk.engine, "Support"), ["greet", "invoice", "refund"]);
}

#[tokio::test]
async fn each_call_reaches_its_part() {
    let talk = talk(&["refund", "greet", "invoice"]).await;
    assert_eq!(answers(&talk.last_request()), ["returns", "own", "billing"]);
    assert_eq!(talk.state("Support").await, json!({ "refunded": true }));
}

#[tokio::test]
async fn a_set_may_span_parts() {
    let talk = talk(&["refund", "invoice"]).await;
    assert_eq!(answers(&talk.last_request()), ["both parts at once"; 2]);
}
