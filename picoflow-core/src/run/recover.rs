//! When a model gives no reply: whether and when it is asked again, and what stands in for it.

use super::{Env, Run, ask::Stopped};
use crate::{
    Cx, StepResponse, TurnError,
    flow::CompiledStep,
    model::{ModelError, ModelFailure, ModelRef, Recovery},
};
use std::time::Duration;

/// What a hook made of a failure.
pub(super) enum Recovered {
    /// This in place of a reply.
    Answer {
        response: StepResponse,
        hook: &'static str,
        /// Whether it is the flow's hook.
        is_flow: bool,
    },
    /// Another model.
    Other(ModelRef),
}

/// The longest wait that grows by itself.
const LONGEST: Duration = Duration::from_secs(30);

impl Run {
    /// How long to wait before another attempt after `error`; `None`: there is none.
    ///
    /// The step decides, else the flow, else the kind of the error.
    pub(super) fn wait(
        &mut self,
        env: &Env,
        at: usize,
        error: &ModelError,
        attempt: u32,
    ) -> Result<Option<Duration>, TurnError> {
        let step = env.step(at)?;
        let decided = step.step.dyn_should_retry(&Cx::new(self, at), error);
        let decided = decided.or_else(|| env.flow.flow.should_retry(&Cx::new(self, at), error));
        self.check_fault()?;
        let again = decided.unwrap_or_else(|| error.is_transient());
        Ok(again.then(|| delay(env, step, error, attempt)).flatten())
    }

    /// Asks the step, then the flow, what to make of a model that gave no reply. `has_other` says that the step is at
    /// another model already.
    pub(super) async fn recover(
        &mut self,
        env: &Env,
        at: usize,
        stopped: Stopped,
        has_other: bool,
    ) -> Result<Recovered, TurnError> {
        let recovered = match stopped {
            Stopped::Failed(failure) => self.recover_failed(env, at, failure, has_other).await,
            Stopped::Blocked(block) => {
                let step = env.step(at)?;
                let hook = "on_model_blocked";
                let own = step.step.dyn_on_model_blocked(&mut Cx::new(self, at), &block).await;
                let mut response = self.checked(&step.id, hook, own)?;
                let is_flow = response.is_none();
                if is_flow {
                    let flow = &env.flow.flow;
                    let answered = flow.on_model_blocked(&mut Cx::new(self, at), &block).await;
                    response = self.checked(&step.id, hook, answered)?;
                }
                let Some(response) = response else {
                    return Err(TurnError::Blocked { step: step.id.clone(), block });
                };
                self.warn(&step.id, format!("the provider refused to answer: {block}"));
                Ok(Recovered::Answer { response, hook, is_flow })
            }
        };
        // What a hook made of it while everybody left is not heard.
        if env.cancellation.is_cancelled() { Err(TurnError::Cancelled) } else { recovered }
    }

    async fn recover_failed(
        &mut self,
        env: &Env,
        at: usize,
        failure: ModelFailure,
        has_other: bool,
    ) -> Result<Recovered, TurnError> {
        let step = env.step(at)?;
        let hook = "on_model_error";
        let own = step.step.dyn_on_model_error(&mut Cx::new(self, at), &failure).await;
        let mut recovery = self.checked(&step.id, hook, own)?;
        let is_flow = matches!(recovery, Recovery::Pass);
        if is_flow {
            let flow = env.flow.flow.on_model_error(&mut Cx::new(self, at), &failure).await;
            recovery = self.checked(&step.id, hook, flow)?;
        }
        let error = failed(step, failure);
        match recovery {
            Recovery::Answer(response) => {
                self.warn(&step.id, format!("`{hook}` answered: {error}"));
                Ok(Recovered::Answer { response, hook, is_flow })
            }
            Recovery::RetryWith(model) if !has_other => {
                self.warn(&step.id, format!("`{hook}` goes on with model {model}: {error}"));
                Ok(Recovered::Other(model))
            }
            Recovery::RetryWith(model) => {
                let text = format!(
                    "`{hook}` asks for model {model}, and a second other model is not asked in one turn of a step"
                );
                self.warn(&step.id, text);
                Err(error)
            }
            Recovery::Pass => Err(error),
        }
    }
}

/// What the provider asks for; else a wait that doubles with each attempt and is shortened by up to a half at random, so
/// that many sessions do not come back at once. A provider that asks for more time than a call may take is not waited
/// for.
fn delay(env: &Env, step: &CompiledStep, error: &ModelError, attempt: u32) -> Option<Duration> {
    if let ModelError::Transient { retry_after: Some(wait), .. } = error {
        return (*wait <= step.limits.model_timeout).then_some(*wait);
    }
    let base = step.limits.retry_delay;
    let longest = base.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(base.max(LONGEST));
    let half = longest / 2;
    // In steps of a 1,024th.
    let share = u32::try_from(env.host.random() % 1025).unwrap_or_default();
    Some(half + half * share / 1024)
}

fn failed(step: &CompiledStep, failure: ModelFailure) -> TurnError {
    let step = step.id.clone();
    let (attempts, reason) = match failure {
        ModelFailure::Failed { error: source, .. } => return TurnError::Model { step, source },
        ModelFailure::Empty { attempts, .. } => (attempts, "the reply was empty".to_owned()),
        ModelFailure::Refused { attempts, reason, .. } => (attempts, reason),
    };
    TurnError::NoReply { step, attempts, reason }
}
