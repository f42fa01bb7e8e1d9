//! Tools of the flow: offered in every step, handled by the flow as the last base of all.

use crate::support::{Talk, answers, exposed, offered, warnings};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct HelpDesk;

#[tools]
impl Flow for HelpDesk {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Ask).add(Review(Base)).add(Quiet).add(TerminateSessionStep)
    }

    fn initial_step(&self, context: &Value) -> Option<StepId> {
        let step = context["config"].as_str()?.to_owned();
        Some(StepId::from(step))
    }

    /// Connect the user to a person
    #[tool(define)]
    fn get_human(&self, cx: &mut Cx<'_>, reason: String) -> ToolResponse {
        cx.save_state(json!({ "reason": reason }));
        stay_with(format!("flow: a person comes to {}", cx.step_id()))
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID)
    }

    #[tools(["get_human", "terminate_session"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("flow: {} at once", calls.len()))
    }
}

struct Ask;

#[tools]
impl Step for Ask {
    /// Keep the answer
    #[tool(define)]
    fn keep(&self) -> ToolResponse {
        go(Review::ID)
    }
}

struct Base;

#[tools]
impl Step for Base {
    fn get_human(&self) -> ToolResponse {
        stay_with("base: wait")
    }
}

/// Its base handles the flow's tool.
struct Review(Base);

#[tools]
impl Step for Review {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    /// Confirm
    #[tool(define)]
    fn confirm(&self) -> ToolResponse {
        go(Quiet::ID)
    }
}

struct Quiet;

#[tools]
impl Step for Quiet {
    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        ["get_human"].into()
    }
}

/// A conversation at `step`, in which the model makes these calls when the user says `call`.
async fn talk(step: &'static str, calls: &[&'static str]) -> (Talk, picoflow::Reply) {
    let calls: Vec<_> = calls.iter().map(|&tool| (tool, json!({ "reason": "lost" }))).collect();
    let model =
        ScriptedModel::new().on_call(Rule::new().latest("call"), calls).on(Rule::new(), "Done.");
    let mut talk = Talk::of(HelpDesk, model).await;
    let turn = talk.opening().message("call").config(step);
    let reply = talk.run(turn).await.unwrap();
    (talk, reply)
}

#[tokio::test]
async fn a_tool_of_the_flow_is_offered_in_every_step_behind_the_steps_own() {
    let (talk, _) = talk("Ask", &["get_human"]).await;
    assert_eq!(exposed(&talk.engine, "Ask"), ["keep", "get_human", "terminate_session"]);
    assert_eq!(exposed(&talk.engine, "Review"), ["confirm", "get_human", "terminate_session"]);
    assert_eq!(offered(&talk.requests()[0]), ["keep", "get_human", "terminate_session"]);
}

#[tokio::test]
async fn the_flow_handles_its_tool_with_the_context_of_the_step() {
    let (talk, _) = talk("Ask", &["get_human"]).await;
    assert_eq!(answers(&talk.last_request()), ["flow: a person comes to Ask"]);
    assert_eq!(talk.state("Ask").await, json!({ "reason": "lost" }));
}

#[tokio::test]
async fn a_base_of_the_step_goes_before_the_flow() {
    let (talk, _) = talk("Review", &["get_human", "get_human"]).await;
    let told = answers(&talk.last_request());
    assert!(told.iter().all(|told| told == "base: wait"), "{told:?}");
}

#[tokio::test]
async fn a_group_of_the_flow_handles_a_reply_of_any_step() {
    let (talk, _) = talk("Ask", &["terminate_session", "get_human"]).await;
    assert_eq!(answers(&talk.last_request()), ["flow: 2 at once"; 2]);
}

#[tokio::test]
async fn a_step_may_hide_a_tool_of_the_flow() {
    let (talk, reply) = talk("Quiet", &["get_human"]).await;
    assert_eq!(offered(&talk.last_request()), ["terminate_session"]);
    assert_eq!(warnings(&reply), ["hallucinated tool: get_human"]);
}

#[tokio::test]
async fn the_terminal_step_offers_nothing_and_ends_the_session() {
    let (talk, reply) = talk("Ask", &["terminate_session"]).await;
    assert_eq!(reply.step, TerminateSessionStep::ID);
    assert!(reply.completed);
    assert_eq!(offered(&talk.last_request()), [""; 0]);
}
