//! One step's handlers without a model.

use crate::{
    Cx, Engine, Env, Hidden, StepId, ToolCall, ToolResponse, TurnError, TurnEvent, run::Run,
    session::ToolStatus, tool::ToolResult,
};
use std::{fmt, sync::Arc};

/// A step of an engine's flow with a session of its own in memory, whose tools are called without a model: for unit
/// tests of handlers, and to measure them.
///
/// A call goes the way that it goes in a turn: it must be offered, its arguments are checked and read, and the handler
/// runs within its limits. What handlers decide is returned instead of applied: the step stays the current one.
///
#[doc = include_str!("docs/harness.md")]
pub struct StepHarness {
    env: Arc<Env>,
    run: Run,
    at: usize,
}

/// What the handlers answered to the calls of one reply.
///
/// See [`StepHarness`] for an example.
#[derive(Debug)]
#[non_exhaustive]
pub struct HarnessReply {
    /// What the model would be told, one for each call, in order.
    pub feedback: Vec<String>,
    /// Whether each call succeeded.
    pub status: Vec<ToolStatus>,
    /// What was decided: one for each handler that ran.
    pub responses: Vec<ToolResponse>,
}

impl StepHarness {
    /// The step `step` of the flow `flow`, at the start of a new session: its state is empty, and no hook has run.
    ///
    /// # Errors
    /// When the engine has no such flow, or the flow no such step.
    pub fn new(
        engine: &Engine,
        flow: impl AsRef<str>,
        step: impl Into<StepId>,
    ) -> Result<Self, TurnError> {
        let (run, at) = engine.harness(flow.as_ref(), &step.into())?;
        Ok(Self { env: Arc::clone(&run.env), run, at })
    }

    /// The step's context, to set up what a handler finds and to see what it wrote.
    /// See [`StepHarness`] for an example.
    pub fn cx(&mut self) -> Cx<'_> {
        Cx::new(&mut self.run, self.at)
    }

    /// Runs the handler of one call, without the groups of the step and without repairs of its arguments.
    /// See [`StepHarness`] for an example.
    ///
    /// # Errors
    /// Those that fail a turn: a misuse of the API, or [`ToolError::abort`](crate::ToolError::abort). Everything else,
    /// such as arguments that do not fit, is in the [`ToolResult`].
    pub async fn call(&mut self, call: &ToolCall) -> Result<ToolResult, TurnError> {
        let hidden = self.hidden()?;
        self.run.dispatch_one(&self.env, self.at, call, &hidden).await
    }

    /// Runs the handlers for the calls of one reply: of a group, if the step has one for exactly these tools.
    /// See [`StepHarness`] for an example.
    ///
    /// # Errors
    /// Those that fail a turn.
    pub async fn reply(&mut self, mut calls: Vec<ToolCall>) -> Result<HarnessReply, TurnError> {
        let hidden = self.hidden()?;
        self.run.take_calls(self.env.step(self.at)?, &mut calls);
        let done = self.run.dispatch(&self.env, self.at, &calls, &hidden, false).await?;
        let (feedback, status) =
            done.answers.into_iter().map(|answer| (answer.feedback, answer.status)).unzip();
        Ok(HarnessReply { feedback, status, responses: done.responses })
    }

    /// The warnings since the last call of this method.
    /// See [`StepHarness`] for an example.
    pub fn take_warnings(&mut self) -> Vec<String> {
        self.run.record.entries.clear();
        let events = std::mem::take(&mut self.run.record.events);
        let warnings = events.into_iter().filter_map(|event| match event {
            TurnEvent::Warned { message } => Some(message),
            _ => None,
        });
        warnings.collect()
    }

    fn hidden(&mut self) -> Result<Hidden, TurnError> {
        let step = self.env.step(self.at)?;
        let hidden = step.step.dyn_hide_tools(&Cx::new(&mut self.run, self.at));
        self.run.check_fault()?;
        Ok(hidden)
    }
}

impl fmt::Debug for StepHarness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = self.env.flow.steps.get(self.at).map(|step| &step.id);
        f.debug_struct("StepHarness").field("step", &step).finish_non_exhaustive()
    }
}
