//! Turns, model calls and tool calls as spans and metrics, read back from exporters in memory.

mod content;
mod failures;
mod hosts;
mod metrics;
mod seen;
mod spans;

use self::seen::Seen;
use crate::support::TestFlow;
use picoflow::{
    Engine,
    model::{ChatModel, Usage},
    otel::Telemetry,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{future::pending, time::Duration};

/// What nobody may find in a trace who did not ask for it.
const SECRET: &str = "the-planted-secret";

/// A step whose tools do what tools can do.
struct Desk;

#[tools]
impl Step for Desk {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Serve: the-planted-secret".into()
    }

    /// Look something up
    #[tool(define)]
    fn look_up(&self, topic: String) -> ToolResponse {
        stay_with(format!("about {topic}"))
    }

    /// Ask one child, then two at the same time
    #[tool(define)]
    async fn ask_around(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Clerk::ID, Some("Work.")).await?;
        let child = |key| Child::new(Clerk::ID).key(key).message("Work.");
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay_with("asked"))
    }

    /// One of two
    #[tool(define)]
    fn left(&self, topic: String) -> ToolResponse {
        stay_with(topic)
    }

    /// The other
    #[tool(define)]
    fn right(&self) -> ToolResponse {
        stay()
    }

    #[tools(["left", "right"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        assert_eq!(calls.len(), 2);
        stay_with("both")
    }

    /// Go on to the next step
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(Clerk::ID)
    }

    /// Fail in one of the ways
    #[tool(define)]
    async fn fail(&self, way: String) -> Result<ToolResponse, ToolError> {
        match &*way {
            "feedback" => Err(ToolError::feedback(format!("no, {SECRET}"))),
            "internal" => Err(ToolError::internal(format!("no, {SECRET}"))),
            "abort" => Err(ToolError::abort(format!("no, {SECRET}"))),
            "panic" => panic!("no, {SECRET}"),
            _ => pending().await,
        }
    }
}

struct Clerk;

#[tools]
impl Step for Clerk {}

fn flow() -> TestFlow {
    let limits = Limits::default().tool_timeout(Duration::from_mins(2));
    TestFlow::new(Steps::new().add(Desk).add(Clerk)).limits(limits)
}

async fn engine(seen: &Seen, model: impl ChatModel) -> Engine {
    build(seen.telemetry(), model).await
}

async fn build(telemetry: Telemetry, model: impl ChatModel) -> Engine {
    Engine::builder().flow(flow()).model(model).host(telemetry).build().await.unwrap()
}

fn turn(message: &str) -> Turn {
    Turn::new(TestFlow::ID).message(message)
}

/// A model that only talks.
fn talks() -> ScriptedModel {
    ScriptedModel::new().on(Rule::new(), format!("Done, {SECRET}."))
}

/// A model that calls these tools once, then says so.
fn calls<const N: usize>(calls: [(&'static str, Value); N]) -> ScriptedModel {
    ScriptedModel::new()
        .on(Rule::new().step(Clerk::ID), "Worked.")
        .on_call(Rule::new().times(1), calls)
        .on(Rule::new(), format!("Done, {SECRET}."))
}

/// A usage that tells everything.
fn detailed() -> Usage {
    let mut usage = Usage::new(100, 40);
    usage.cached_input_tokens = 60;
    usage.cache_creation_input_tokens = 20;
    usage.reasoning_tokens = 30;
    usage
}
