//! Children of the step that runs: one in this turn's own draft, or several side by side.

mod changes;

use super::{Env, Record, Run, key::Started};
use crate::{Batch, Branch, Child, ChildError, ParallelInvocation, StepId, TurnError};
use changes::Changes;
use futures_util::future::join_all;
use serde_json::Value;
use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

impl Run {
    /// Runs `step` to its answer, in this turn's own draft.
    pub(crate) async fn run_step(
        &mut self,
        step: &StepId,
        message: Option<String>,
    ) -> Result<Value, ChildError> {
        let env = Arc::clone(&self.env);
        let result = match env.flow.place(step) {
            Ok(at) => self.child(&env, at, message).await,
            Err(error) => Err(error),
        };
        result.map_err(|error| self.child_failed(step, error))
    }

    /// Runs `children` side by side, each on a copy of the draft, and publishes the state of those that succeed.
    pub(crate) async fn run_steps(&mut self, children: Vec<Child>) -> Result<Batch, ChildError> {
        let env = Arc::clone(&self.env);
        let places = self.check_children(&env, &children)?;
        let fork = self.draft.clone();
        self.started.count_batch();
        let branches = children.iter().zip(&places).enumerate();
        let running = branches.map(|(index, (child, &at))| {
            let mut run = self.fork(child, index);
            let message = child.message.clone();
            let env = &env;
            async move {
                let result = run.child(env, at, message).await;
                (run, result)
            }
        });
        let ended = join_all(running.collect::<Vec<_>>()).await;
        let mut batch = Batch { branches: Vec::new() };
        let mut drafts = Vec::new();
        for (child, (mut run, result)) in children.into_iter().zip(ended) {
            self.record.extend(std::mem::take(&mut run.record));
            let result = run.fault.take().map_or(result, Err);
            if result.is_ok() {
                drafts.push(run.draft);
            }
            batch.branches.push(Branch {
                outcome: result.map_err(|error| self.child_failed(&child.step, error)),
                step: child.step,
                key: child.key,
            });
        }
        // What the branches cost is recorded by now, whether their states go together or not.
        let mut changes = Changes::default();
        for draft in &drafts {
            changes.collect(&env, &fork, draft)?;
        }
        changes.publish(&mut self.draft);
        Ok(batch)
    }

    /// Where the children's steps are, if all of them may start.
    fn check_children(&mut self, env: &Env, children: &[Child]) -> Result<Vec<usize>, ChildError> {
        let mut keys = HashSet::new();
        let mut places = Vec::with_capacity(children.len());
        for child in children {
            let at = match env.flow.place(&child.step) {
                Ok(at) => at,
                Err(error) => return Err(self.child_failed(&child.step, error)),
            };
            let is_repeated = children.iter().filter(|other| other.step == child.step).count() > 1;
            let is_new = keys.insert((&child.step, child.key.as_deref()));
            if is_repeated && (child.key.is_none() || !is_new) {
                return Err(ChildError::new(
                    &child.step,
                    "PARALLEL_DUPLICATE_KEY",
                    "the step is started more than once: give each of them a key of its own by `Child::key`",
                ));
            }
            let checked =
                env.flow.steps.get(at).map(|step| step.step.dyn_check_params(&child.params));
            if let Some(Err(error)) = checked {
                let text = format!("`check_params` refused the parameters: {error}");
                return Err(ChildError::new(&child.step, "PARALLEL_PARAMS", text));
            }
            places.push(at);
        }
        Ok(places)
    }

    /// A run of its own for one branch.
    fn fork(&self, child: &Child, index: usize) -> Self {
        Self {
            env: Arc::clone(&self.env),
            draft: self.draft.clone(),
            depth: self.depth,
            branch: Some(Arc::new(ParallelInvocation {
                params: child.params.clone(),
                key: child.key.clone(),
                index,
                cancellation: self.env.cancellation.clone(),
            })),
            record: Record::default(),
            fault: OnceLock::new(),
            transitions: 0,
            started: Started::default(),
            scope: self.scope_of(child),
        }
    }

    /// What the caller is told. A mistake in the flow's code also fails the turn.
    fn child_failed(&mut self, step: &StepId, error: TurnError) -> ChildError {
        let told = ChildError::of(step, &error);
        let is_mistake = matches!(error, TurnError::Misuse { .. } | TurnError::UnknownStep { .. });
        if is_mistake {
            // An earlier one is closer to the cause.
            drop(self.fault.set(error));
        }
        told
    }
}
