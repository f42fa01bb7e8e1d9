//! The tool calls of one reply, one handler after the other.

use super::{
    Env, Run,
    calls::{is_offered, unknown_tool},
    handler::Job,
    key::Handled,
};
use crate::{
    Hidden, ToolCall, ToolResponse, TurnError, TurnEvent,
    flow::{CompiledFlow, CompiledStep, Receiver, Route, ToolHandler},
    native::FAILED,
    response::{Action, stay},
    session::{Level, ToolStatus},
    step::AnyStep,
    tool::{Failure, ToolError, ToolResult},
};
use serde_json::{Map, Value};
use std::{slice, sync::Arc};

/// What a call that was handled says to the model unless its handler says otherwise.
pub(super) const VALIDATED: &str = "input validated";

/// What a call of a group is told when another one is the reason that it did not run.
const SIBLING_INVALID: &str = "Not run, since another call of the same reply has invalid arguments. Correct that one and make both calls again.";

/// The answer to one call.
pub(crate) struct Answer {
    pub(crate) feedback: String,
    pub(crate) status: ToolStatus,
}

/// All answers to a reply, in the order of its calls, and the transitions of the handlers that ran.
#[derive(Default)]
pub(crate) struct Dispatched {
    pub(crate) answers: Vec<Answer>,
    pub(crate) responses: Vec<ToolResponse>,
    /// Whether the step runs as a child, where nothing may move the cursor or speak to the user.
    is_child: bool,
    /// In a child, the tools whose handlers gave a `direct_result`.
    pub(super) results: Vec<String>,
}

impl Run {
    /// Runs the handlers for `calls`. All belong to the step that received the reply, whatever a handler decides.
    pub(crate) async fn dispatch(
        &mut self,
        env: &Env,
        at: usize,
        calls: &[ToolCall],
        hidden: &Hidden,
        is_child: bool,
    ) -> Result<Dispatched, TurnError> {
        let step = env.step(at)?;
        let mut dispatched = Dispatched { is_child, ..Dispatched::default() };
        if let Some(group) = group_of(step, calls, hidden) {
            self.dispatch_group(env, at, group, calls, &mut dispatched).await?;
        } else {
            for call in calls {
                self.tell_started(&step.id, slice::from_ref(call));
                let result = self.dispatch_one(env, at, call, hidden).await?;
                self.answer(step, call, result, &mut dispatched)?;
            }
        }
        Ok(dispatched)
    }

    /// One call, by its own handler.
    pub(crate) async fn dispatch_one(
        &mut self,
        env: &Env,
        at: usize,
        call: &ToolCall,
        hidden: &Hidden,
    ) -> Result<ToolResult, TurnError> {
        let step = env.step(at)?;
        let tool = step.tools.get(call.name());
        let Some(tool) = tool.filter(|_| !hidden.hides(call.name())) else {
            let word = self.word_of(step, call);
            self.warn(&step.id, format!("hallucinated tool: {word}"));
            return Ok(Err(ToolError::feedback(unknown_tool(step, &word, hidden))));
        };
        let view = match self.validate(step, tool, call) {
            Ok(view) => view,
            Err(error) => return Ok(Err(error)),
        };
        let job = match &tool.handler {
            Some(ToolHandler::Method(route)) => Job::One(*route, view),
            Some(ToolHandler::Native(native)) => Job::Native(native, view),
            None => {
                self.warn(&step.id, format!("missing tool handler: {}", call.name()));
                return Ok(Ok(stay()));
            }
        };
        self.handle(env, at, Handled::Tool(Arc::clone(&tool.definition)), job).await
    }

    /// One handler for all calls. It runs only if the arguments of every call are valid, and what it decides counts
    /// once.
    async fn dispatch_group(
        &mut self,
        env: &Env,
        at: usize,
        route: Route,
        calls: &[ToolCall],
        dispatched: &mut Dispatched,
    ) -> Result<(), TurnError> {
        let step = env.step(at)?;
        self.tell_started(&step.id, calls);
        let mut invalid = Vec::new();
        for call in calls {
            let checked = step.tools.get(call.name()).map(|tool| self.validate(step, tool, call));
            invalid.push(checked.and_then(Result::err));
        }
        if invalid.iter().any(Option::is_some) {
            for (call, error) in calls.iter().zip(invalid) {
                let error = error.unwrap_or_else(|| ToolError::feedback(SIBLING_INVALID));
                self.answer(step, call, Err(error), dispatched)?;
            }
            return Ok(());
        }
        let names: Vec<_> = calls.iter().map(ToolCall::name).collect();
        let handled = Handled::Group(names.join("+").into());
        match self.handle(env, at, handled, Job::Group(route, calls)).await? {
            Ok(response) => {
                let feedback = response.tool_feedback().unwrap_or(VALIDATED).to_owned();
                if dispatched.is_child {
                    let owner = || owner(&env.flow, step, Some(route.receiver));
                    dispatched.admit(step, names.join(", "), owner, &response)?;
                }
                dispatched.responses.push(response);
                for call in calls {
                    self.add(step, call, feedback.clone(), ToolStatus::Success, dispatched);
                }
            }
            Err(error) => {
                let feedback = self.explain(step, &names.join(", "), error)?;
                for call in calls {
                    self.add(step, call, feedback.clone(), ToolStatus::Error, dispatched);
                }
            }
        }
        Ok(())
    }

    /// Puts the answer of one call down, and what its handler decided.
    fn answer(
        &mut self,
        step: &CompiledStep,
        call: &ToolCall,
        result: ToolResult,
        dispatched: &mut Dispatched,
    ) -> Result<(), TurnError> {
        let (feedback, status) = match result {
            Ok(response) => {
                let feedback = response.tool_feedback().unwrap_or(VALIDATED).to_owned();
                if dispatched.is_child {
                    let handler = step.tools.get(call.name()).and_then(|it| it.handler.as_ref());
                    let receiver = handler.and_then(|handler| match handler {
                        ToolHandler::Method(route) => Some(route.receiver),
                        ToolHandler::Native(_) => None,
                    });
                    let owner = || owner(&self.env.flow, step, receiver);
                    dispatched.admit(step, call.name().to_owned(), owner, &response)?;
                }
                dispatched.responses.push(response);
                (feedback, ToolStatus::Success)
            }
            Err(error) => (self.explain(step, call.name(), error)?, ToolStatus::Error),
        };
        self.add(step, call, feedback, status, dispatched);
        Ok(())
    }

    fn add(
        &mut self,
        step: &CompiledStep,
        call: &ToolCall,
        mut feedback: String,
        mut status: ToolStatus,
        dispatched: &mut Dispatched,
    ) {
        let (bytes, limit) = (feedback.len(), step.limits.result_bytes);
        if bytes > limit {
            let tool = call.name();
            let text =
                format!("the result of tool '{tool}' has {bytes} bytes, the limit is {limit}");
            self.warn(&step.id, text);
            feedback = format!(
                "The result of tool '{tool}' has {bytes} bytes, and {limit} is the most that can be passed on. Ask for less."
            );
            status = ToolStatus::Error;
        }
        self.tell_ended(&step.id, call, status, &feedback);
        self.emit(TurnEvent::ToolCalled {
            step: step.id.clone(),
            tool: call.name().to_owned(),
            status,
        });
        dispatched.answers.push(Answer { feedback, status });
    }

    /// What the model is told of an error; the session is told the rest.
    fn explain(
        &mut self,
        step: &CompiledStep,
        tool: &str,
        error: ToolError,
    ) -> Result<String, TurnError> {
        match error.0 {
            Failure::Feedback(text) => Ok(text),
            Failure::Arguments(_) => {
                self.warn(&step.id, format!("invalid arguments for tool '{tool}': {error}"));
                Ok(format!(
                    "Invalid arguments for tool '{tool}': {error}. Correct them and call the tool again."
                ))
            }
            Failure::Internal(error) => {
                let extra = [("step", step.id.as_str()), ("tool", tool)];
                let extra = extra.map(|(key, value)| (key.to_owned(), Value::from(value)));
                self.note(Level::Error, format!("tool '{tool}': {error}"), Map::from_iter(extra));
                Ok(FAILED.to_owned())
            }
            Failure::Abort(source) => {
                Err(TurnError::Aborted { step: step.id.clone(), tool: tool.to_owned(), source })
            }
        }
    }
}

impl Dispatched {
    /// Refuses what a child must not decide.
    fn admit(
        &mut self,
        step: &CompiledStep,
        by: String,
        owner: impl FnOnce() -> String,
        response: &ToolResponse,
    ) -> Result<(), TurnError> {
        match &response.action {
            Action::Stay => {}
            Action::Result(_) => self.results.push(by),
            action => {
                let (step, builder) = (step.id.clone(), action.builder());
                return Err(TurnError::ChildTransition { step, builder, by, owner: owner() });
            }
        }
        Ok(())
    }
}

/// Whose handler it is, for a message.
fn owner(flow: &CompiledFlow, step: &CompiledStep, receiver: Option<Receiver>) -> String {
    match receiver {
        Some(Receiver::Step(depth @ 1..)) => {
            let base = step.member(depth).map(AnyStep::dyn_id);
            base.map_or_else(|| "its base".to_owned(), |base| format!("its base `{base}`"))
        }
        Some(Receiver::Flow) => format!("flow `{}`", flow.id),
        Some(Receiver::Step(_)) | None => format!("step `{}`", step.id),
    }
}

/// The handler of exactly this set of tools. A reply with a tool that is not offered matches none.
fn group_of(step: &CompiledStep, calls: &[ToolCall], hidden: &Hidden) -> Option<Route> {
    if step.groups.is_empty() || calls.iter().any(|call| !is_offered(step, call.name(), hidden)) {
        return None;
    }
    let mut names: Vec<String> = calls.iter().map(|call| call.name().to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    step.groups.get(&names).copied()
}
