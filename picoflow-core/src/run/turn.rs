//! The turn loop.

use super::{
    Env, Run,
    ask::{Asking, Rounds},
    settle::Next,
};
use crate::{Cx, StepId, TurnError, session::SequenceEntry};
use std::sync::Arc;

/// Where a turn begins.
pub(crate) enum Start {
    /// A new session.
    New,
    /// A stored one.
    Restored,
}

/// What a turn came to.
pub(crate) struct Outcome {
    pub(crate) text: String,
    pub(crate) is_end: bool,
}

impl Run {
    /// Runs until there is a reply.
    pub(crate) async fn turn(
        &mut self,
        start: Start,
        message: Option<String>,
    ) -> Result<Outcome, TurnError> {
        let env = Arc::clone(&self.env);
        let mut message = self.begin(&env, start, message).await?;
        let mut rounds = Rounds::default();
        let mut prior: Option<StepId> = None;
        loop {
            let at = self.draft.current;
            let next = if env.step(at)?.is_logic {
                self.run_logic(&env, at).await?
            } else {
                // A text that nobody took yet: the session began, or went on, with a logic step.
                if prior.is_some() || message.is_some() {
                    self.cross(&env, at, message.take(), prior.take()).await?;
                }
                self.pass(&env, at, &mut rounds).await?
            };
            match next {
                Next::End(text) => {
                    let outcome = self.end(&env, text)?;
                    self.compact_all(&env).await?;
                    return Ok(outcome);
                }
                Next::Pass { prior: moved } => prior = moved.or(prior),
            }
        }
    }

    fn end(&mut self, env: &Env, text: String) -> Result<Outcome, TurnError> {
        let at = self.draft.current;
        if !self.images.is_empty() {
            let text = "the turn's images were not shown: no step took its message";
            self.warn(&env.step(at)?.id, text);
        }
        let is_end = env.step(at)?.step.dyn_is_end(&Cx::new(self, at));
        self.check_fault()?;
        Ok(Outcome { text, is_end: is_end || self.draft.is_completed })
    }

    /// Gives the user's message to the step that takes it. Returns what is left of it.
    async fn begin(
        &mut self,
        env: &Env,
        start: Start,
        message: Option<String>,
    ) -> Result<Option<String>, TurnError> {
        let at = self.draft.current;
        let step = env.step(at)?;
        match start {
            Start::New => {
                self.record.moves.push(SequenceEntry { level: 1, step_name: step.id.clone() });
                let started = step.step.dyn_on_start(&mut Cx::new(self, at)).await;
                self.checked(&step.id, "on_start", started)?;
                let entered = step.step.dyn_on_enter(&mut Cx::new(self, at)).await;
                self.checked(&step.id, "on_enter", entered)?;
                if step.is_logic {
                    return Ok(message);
                }
                self.cross(env, at, message, None).await?;
            }
            Start::Restored => {
                let restored = step.step.dyn_on_restore(&mut Cx::new(self, at)).await;
                self.checked(&step.id, "on_restore", restored)?;
                if step.is_logic {
                    return Ok(message);
                }
                if let Some(text) = message {
                    self.push_human(step, text);
                }
            }
        }
        Ok(None)
    }

    async fn cross(
        &mut self,
        env: &Env,
        at: usize,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> Result<(), TurnError> {
        let step = env.step(at)?;
        let opening = step.step.dyn_on_crossing(&mut Cx::new(self, at), message, prior).await;
        if let Some(text) = self.checked(&step.id, "on_crossing", opening)? {
            self.push_human(step, text);
        }
        Ok(())
    }

    async fn run_logic(&mut self, env: &Env, at: usize) -> Result<Next, TurnError> {
        let step = env.step(at)?;
        let mut cx = Cx::new(self, at);
        let Some(logic) = step.step.dyn_run_logic(&mut cx) else {
            return Err(TurnError::Misuse {
                step: step.id.clone(),
                reason: "is not a logic step".to_owned(),
            });
        };
        let decided = logic.await;
        let response = self.checked(&step.id, "run_logic", decided)?;
        let next = self.settle_hook(env, at, response, None).await?;
        // A model would bound a step that goes to itself by its rounds.
        if matches!(next, Next::Pass { prior: None }) {
            return Err(TurnError::Misuse {
                step: step.id.clone(),
                reason: "`run_logic` goes to its own step, which would never end: go to another one or `finish`".to_owned(),
            });
        }
        Ok(next)
    }

    /// One model call and what comes of it.
    async fn pass(&mut self, env: &Env, at: usize, rounds: &mut Rounds) -> Result<Next, TurnError> {
        let step = env.step(at)?;
        let mut asked = match self.ask(env, at, rounds).await? {
            Asking::Replied(asked) => asked,
            Asking::Recovered { response, .. } => {
                return self.settle_hook(env, at, response, None).await;
            }
        };
        if asked.reply.tool_calls.is_empty() {
            self.warn_of_text(step, &asked);
            let output = asked.output();
            let response = step.step.dyn_on_response(&mut Cx::new(self, at), output).await;
            let response = self.checked(&step.id, "on_response", response)?;
            return self.settle_hook(env, at, response, Some(asked.reply)).await;
        }
        self.take_reply(step, &mut asked.reply);
        let calls = &asked.reply.tool_calls;
        let dispatched = self.dispatch(env, at, calls, &asked.hidden, false).await?;
        self.settle(env, at, asked.reply, dispatched).await
    }
}
