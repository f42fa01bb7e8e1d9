//! What the told schema accepts, the handler gets, with the value that was written; what it refuses is refused with its
//! place and what was expected.

mod any_value;
mod kept;
mod names;
mod numbers;
#[cfg(feature = "validate")]
mod refused;
mod strict;

use crate::support::TestFlow;
use picoflow::{
    prelude::*,
    testing::{ScriptedModel, StepHarness},
};

/// What a call of a step's tool is told.
pub(super) struct Desk {
    pub(super) harness: StepHarness,
}

impl Desk {
    pub(super) async fn new<S: Step + Default>() -> Self {
        let flow = TestFlow::new(Steps::new().add(S::default()));
        let engine = Engine::builder().flow(flow).model(ScriptedModel::new());
        let engine = engine.build().await.unwrap();
        Self { harness: StepHarness::new(&engine, TestFlow::ID, S::ID).unwrap() }
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: &str) -> String {
        let calls = vec![ToolCall::from_text("1", tool, arguments)];
        self.harness.reply(calls).await.unwrap().feedback.remove(0)
    }

    /// Both calls in one reply, by the handler of the group.
    pub(super) async fn both(&mut self, whole: &str, named: &str) -> String {
        let calls = [("whole", whole), ("named", named)];
        let calls = calls.map(|(tool, text)| ToolCall::from_text(tool, tool, text));
        self.harness.reply(calls.into()).await.unwrap().feedback.remove(0)
    }

    pub(super) fn warnings(&mut self) -> Vec<String> {
        self.harness.take_warnings()
    }
}
