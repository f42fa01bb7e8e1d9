//! One child, from its `on_enter` to its answer.

use super::{
    Env, Run,
    ask::{Asking, Rounds},
    dispatch::Dispatched,
    panics::panicked,
    settle::{Heard, misuse},
};
use crate::{
    Cx, StepResponse, TurnError, TurnEvent,
    flow::CompiledStep,
    model::ModelReply,
    response::{Action, Travels},
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
                Asking::Recovered(response, is_structured) => {
                    return self.child_text(at, step, response, is_structured);
                }
            };
            if asked.reply.tool_calls.is_empty() {
                self.warn_of_text(step, &asked);
                let output = asked.output();
                let answered = step.step.dyn_on_response(&mut Cx::new(self, at), output).await;
                let response = self.checked(&step.id, "on_response", answered)?;
                return self.child_text(at, step, response, asked.structured.is_some());
            }
            self.take_reply(step, &mut asked.reply);
            let calls = &asked.reply.tool_calls;
            let dispatched = self.dispatch(env, at, calls, &asked.hidden).await?;
            if let Some(value) = self.child_result(at, step, asked.reply, dispatched)? {
                return Ok(value);
            }
        }
    }

    /// The answer of a child that ends with a text.
    fn child_text(
        &mut self,
        at: usize,
        step: &CompiledStep,
        response: StepResponse,
        is_structured: bool,
    ) -> Result<Value, TurnError> {
        let Action::Text(text) = response.action else {
            return Err(illegal(step, &response.action));
        };
        self.child_carry(at, step, response.travels)?;
        // A structured step answers with JSON text, and its caller wants the value.
        let value = is_structured.then(|| serde_json::from_str(&text).ok()).flatten();
        let value = value.unwrap_or_else(|| Value::String(text.clone()));
        let ai = MessageKind::Ai { tool_calls: Vec::new() };
        self.push(step, ai, text);
        Ok(value)
    }

    /// The answer of a child's handlers; `None` if each of them failed and the model is to try again.
    fn child_result(
        &mut self,
        at: usize,
        step: &CompiledStep,
        reply: ModelReply,
        dispatched: Dispatched,
    ) -> Result<Option<Value>, TurnError> {
        let mut result = None;
        for response in dispatched.responses {
            self.child_carry(at, step, response.travels)?;
            match response.action {
                Action::Result(value) if result.is_none() => result = Some(*value),
                Action::Result(_) => {
                    return Err(misuse(
                        step,
                        "several handlers of one reply gave a `direct_result`".to_owned(),
                    ));
                }
                action => return Err(illegal(step, &action)),
            }
        }
        let heard = Heard { reply, answers: &dispatched.answers };
        self.remember(step, heard);
        Ok(result)
    }

    /// What travels along with a child's answer has no destination but the child itself.
    fn child_carry(
        &mut self,
        at: usize,
        step: &CompiledStep,
        travels: Travels,
    ) -> Result<(), TurnError> {
        let travels = travels.into_luggage();
        if let Some(reason) = travels.fault {
            return Err(misuse(step, reason));
        }
        if travels.prompt.is_some() || travels.message.is_some() || travels.content_type.is_some() {
            return Err(misuse(
                step,
                "a child has no destination: of `with_prompt`, `with_message` and `with_content_type` none has an effect on it".to_owned(),
            ));
        }
        for text in travels.saying {
            self.emit(TurnEvent::Said { text });
        }
        if let Some(state) = travels.state {
            self.draft.edit().merge_state(at, state);
        }
        Ok(())
    }
}

/// A panic of one child is that child's failure.
async fn caught<T>(work: impl Future<Output = Result<T, TurnError>>) -> Result<T, TurnError> {
    let caught = AssertUnwindSafe(work).catch_unwind().await;
    caught.unwrap_or_else(|panic| Err(panicked(panic)))
}

fn illegal(step: &CompiledStep, action: &Action) -> TurnError {
    misuse(
        step,
        format!(
            "`{}` is not for a child, which cannot move the cursor or speak to the user: answer with `direct_result`",
            action.builder()
        ),
    )
}
