//! One child, from its `on_enter` to its answer.

use super::{
    Env, Run,
    ask::{Asking, Rounds},
    dispatch::Dispatched,
    panics::panicked,
    settle::{Heard, UNANSWERABLE, misuse},
};
use crate::{
    Cx, StepResponse, TurnError, TurnEvent,
    flow::CompiledStep,
    model::ModelReply,
    response::{Action, Luggage, Travels},
    session::{Message, MessageKind, SequenceEntry},
};
use futures_util::FutureExt;
use serde_json::Value;
use std::panic::AssertUnwindSafe;

impl Run {
    pub(super) async fn child(
        &mut self,
        env: &Env,
        at: usize,
        message: Option<String>,
    ) -> Result<Value, TurnError> {
        let step = env.step(at)?;
        let limit = env.flow.limits.nesting;
        if self.depth >= limit {
            return Err(TurnError::Limit {
                step: step.id.clone(),
                what: "levels of children",
                limit,
            });
        }
        self.depth += 1;
        self.record.moves.push(SequenceEntry { level: self.depth + 1, step_name: step.id.clone() });
        self.emit(TurnEvent::ChildStarted { step: step.id.clone(), level: self.depth });
        let depth = self.depth;
        let answered = caught(self.child_body(env, at, message)).await;
        // A panic may have come from deeper.
        self.depth = depth;
        let left = caught(self.child_exit(env, at)).await;
        self.depth = depth - 1;
        // The first failure is the cause.
        let value = answered?;
        left.map(|()| value)
    }

    async fn child_body(
        &mut self,
        env: &Env,
        at: usize,
        message: Option<String>,
    ) -> Result<Value, TurnError> {
        let step = env.step(at)?;
        self.enter_memory(env, at).await?;
        let entered = step.step.dyn_on_enter(&mut Cx::new(self, at)).await;
        self.checked(&step.id, "on_enter", entered)?;
        self.child_answer(env, at, message).await
    }

    async fn child_exit(&mut self, env: &Env, at: usize) -> Result<(), TurnError> {
        let step = env.step(at)?;
        let left = step.step.dyn_on_exit(&mut Cx::new(self, at)).await;
        self.checked(&step.id, "on_exit", left)
    }

    /// Asks until the child has its answer.
    async fn child_answer(
        &mut self,
        env: &Env,
        at: usize,
        message: Option<String>,
    ) -> Result<Value, TurnError> {
        let step = env.step(at)?;
        if step.is_logic {
            return Err(misuse(
                step,
                "a logic step cannot be a child: it only moves the cursor".to_owned(),
            ));
        }
        let ends_answered = |run: &Self| {
            let memory = run.draft.memory.get(&step.namespace);
            memory.and_then(|memory| memory.last()).is_none_or(Message::is_ai)
        };
        // A child has no crossing, and every provider wants something to answer.
        let opening = message.or_else(|| ends_answered(self).then(|| "Start".to_owned()));
        if let Some(text) = opening {
            self.push(step, MessageKind::Human, text);
        }
        let mut rounds = Rounds::default();
        loop {
            // A branch that is told to stop calls no more models; a turn is not polled any more.
            if env.cancellation.is_cancelled() {
                return Err(TurnError::Cancelled);
            }
            let mut asked = match self.ask(env, at, &mut rounds).await? {
                Asking::Replied(asked) => asked,
                Asking::Recovered { response, hook, is_flow, is_structured } => {
                    let owner = if is_flow {
                        format!("flow `{}`", env.flow.id)
                    } else {
                        format!("step `{}`", step.id)
                    };
                    return self.child_text(at, step, (hook, owner), response, is_structured);
                }
            };
            if asked.reply.tool_calls.is_empty() {
                self.warn_of_text(step, &asked);
                let output = asked.output();
                let answered = step.step.dyn_on_response(&mut Cx::new(self, at), output).await;
                let response = self.checked(&step.id, "on_response", answered)?;
                let by = ("on_response", format!("step `{}`", step.id));
                return self.child_text(at, step, by, response, asked.structured.is_some());
            }
            self.take_reply(step, &mut asked.reply);
            let calls = &asked.reply.tool_calls;
            let before = self.draft.clone();
            let dispatched = self.dispatch(env, at, calls, &asked.hidden, true).await;
            let dispatched = dispatched.inspect_err(|error| {
                // What a handler wrote that decided what it must not is undone, as for every other error of a handler.
                if matches!(error, TurnError::ChildTransition { .. }) {
                    self.draft = before;
                }
            })?;
            let reply = asked.reply;
            if let Some(value) = self.child_result(at, step, reply, dispatched, &mut rounds)? {
                return Ok(value);
            }
        }
    }

    /// The answer of a child that ends with a text.
    fn child_text(
        &mut self,
        at: usize,
        step: &CompiledStep,
        (by, owner): (&str, String),
        response: StepResponse,
        is_structured: bool,
    ) -> Result<Value, TurnError> {
        let Action::Text(text) = response.action else {
            let (step, builder) = (step.id.clone(), response.action.builder());
            return Err(TurnError::ChildTransition { step, builder, by: by.to_owned(), owner });
        };
        self.child_carry(at, step, response.travels, true)?;
        // A structured step answers with JSON text, and its caller wants the value.
        let value = is_structured.then(|| serde_json::from_str(&text).ok()).flatten();
        let value = value.unwrap_or_else(|| Value::String(text.clone()));
        let ai = MessageKind::Ai { tool_calls: Vec::new() };
        self.push(step, ai, text);
        Ok(value)
    }

    /// The answer of a child's handlers; `None` if its model is to go on: with the data that it asked for, or since what
    /// it said was refused.
    fn child_result(
        &mut self,
        at: usize,
        step: &CompiledStep,
        reply: ModelReply,
        dispatched: Dispatched,
        rounds: &mut Rounds,
    ) -> Result<Option<Value>, TurnError> {
        let names = &dispatched.results;
        if let [_, .., last] = &**names {
            let text = format!("competing results: {}; applied that of {last}", names.join(", "));
            self.warn(&step.id, text);
        }
        let mut result = None;
        let mut messages = Vec::new();
        for response in dispatched.responses {
            let is_result = matches!(response.action, Action::Result(_));
            let (prompt, message) = self.child_carry(at, step, response.travels, is_result)?;
            if prompt.is_some() {
                rounds.prompt = prompt;
            }
            if message.as_ref().is_some_and(Message::is_ai) {
                return Err(misuse(step, UNANSWERABLE.to_owned()));
            }
            messages.extend(message);
            if let Action::Result(value) = response.action {
                result = Some(*value);
            }
        }
        let heard = Heard { reply, answers: &dispatched.answers };
        self.remember(step, heard);
        for message in messages {
            self.push_message(step, message);
        }
        Ok(result)
    }

    /// Applies what travels along with what a child decided, which has no destination but the child itself. Returns the
    /// prompt and the message.
    fn child_carry(
        &mut self,
        at: usize,
        step: &CompiledStep,
        travels: Travels,
        is_end: bool,
    ) -> Result<(Option<String>, Option<Message>), TurnError> {
        let Luggage { state, prompt, message, content_type, saying, fault } =
            travels.into_luggage();
        if let Some(reason) = fault {
            return Err(misuse(step, reason));
        }
        if content_type.is_some() {
            let text = "a child does not answer the user: `with_content_type` has no effect on it, set it where the step that started the child answers";
            return Err(misuse(step, text.to_owned()));
        }
        if is_end && (prompt.is_some() || message.is_some()) {
            let text = "a child that has its answer calls no model any more: `with_prompt` and `with_message` have no effect on it";
            return Err(misuse(step, text.to_owned()));
        }
        for text in saying {
            self.emit(TurnEvent::Said { text });
        }
        if let Some(state) = state {
            self.draft.edit().merge_state(at, state);
        }
        Ok((prompt, message))
    }
}

/// A panic of one child is that child's failure.
async fn caught<T>(work: impl Future<Output = Result<T, TurnError>>) -> Result<T, TurnError> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.unwrap_or_else(|panic| Err(panicked(panic)))
}
