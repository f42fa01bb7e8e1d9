//! Children of the step that runs: one in this turn's own draft, or several side by side.

mod branch;
mod join;

use super::{Env, Run};
use crate::{
    Batch, BatchError, Branch, BranchId, Child, ChildError, ChildFailure, Children, StepId,
    TurnError,
};
use branch::{Account, Control, Ended, Fork, Start};
use futures_util::{
    StreamExt,
    future::{Either, select},
    stream,
};
use join::Join;
use serde_json::Value;
use std::{
    collections::{HashMap, hash_map::Entry},
    pin::pin,
    sync::Arc,
};

impl Run {
    /// Runs `step` to its answer, in this turn's own draft; in a branch, as an atomic batch of one.
    pub(crate) async fn run_step(
        &mut self,
        at: usize,
        step: &StepId,
        message: Option<String>,
    ) -> Result<Value, ChildError> {
        if self.branch.is_some() {
            return self.run_one(at, step, message).await;
        }
        // The turn fails already. The mistake is not the child's, which would take it along.
        if let Some(mistake) = self.fault.get().and_then(TurnError::as_mistake) {
            return Err(ChildError::new(step, mistake));
        }
        let env = Arc::clone(&self.env);
        let limit = env.flow.limits.invocations;
        let result = match env.flow.place(step) {
            Ok(_) if !env.count_invocations(1) => {
                Err(TurnError::Limit { step: step.clone(), what: "children", limit })
            }
            Ok(child) => {
                let result = self.child(&env, child, message).await;
                // A misuse counts however the child ended.
                self.fault.take().map_or(result, Err)
            }
            Err(error) => Err(error),
        };
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => ChildError::new(step, error),
        };
        self.tell_mistake(&env, at, &error);
        Err(error)
    }

    async fn run_one(
        &mut self,
        at: usize,
        step: &StepId,
        message: Option<String>,
    ) -> Result<Value, ChildError> {
        let child = Child { message, ..Child::new(step) };
        let mut batch = match self.run_steps(at, Children::new([child]).atomic()).await {
            Ok(batch) | Err(BatchError::Rejected { batch }) => batch,
            Err(error) => return Err(ChildError::new(step, error)),
        };
        let only = batch.branches.pop().map(|branch| branch.outcome);
        only.unwrap_or_else(|| Err(ChildError::new(step, ChildFailure::NotStarted)))
    }

    /// Runs `children` side by side, each on a copy of the draft, and publishes what they wrote.
    ///
    /// All of them are part of this future, none is a task of its own: whoever drops it has stopped them all.
    pub(crate) async fn run_steps(
        &mut self,
        at: usize,
        children: Children,
    ) -> Result<Batch, BatchError> {
        let env = Arc::clone(&self.env);
        let starts = self.admit(&env, at, &children)?;
        let fork = Fork::of(self);
        let control = Control::new(&env, children.is_atomic);
        let mut ended = {
            let account = Account::new(&mut self.record.usage);
            let running = starts.iter().map(|start| start.run(&fork, &control, account.spent()));
            let running = stream::iter(running.collect::<Vec<_>>());
            let running = running.buffer_unordered(children.concurrency).collect::<Vec<_>>();
            let watch = control.watch(children.timeout, children.cancellation.as_ref());
            // The watch comes first: of a batch that is cancelled by now, nothing starts.
            match select(pin!(watch), pin!(running)).await {
                Either::Left(((), running)) => running.await,
                Either::Right((ended, _)) => ended,
            }
        };
        // From here on nobody knows any more who was done first.
        ended.sort_unstable_by_key(|ended| ended.id.index);
        self.settle_batch(&env, at, &fork, &control, ended)
    }

    /// What the children came to, once all of them have ended.
    fn settle_batch(
        &mut self,
        env: &Env,
        at: usize,
        fork: &Fork,
        control: &Control,
        ended: Vec<Ended>,
    ) -> Result<Batch, BatchError> {
        let mut batch = Batch { branches: Vec::with_capacity(ended.len()) };
        let (mut drafts, mut records) = (Vec::new(), Vec::new());
        for Ended { id, outcome, record } in ended {
            if let Err(ChildFailure::Failed(error)) = &outcome
                && error.as_mistake().is_some()
            {
                let source = Arc::clone(error);
                self.tell_mistake(env, at, &ChildError::of(&id, source.into()));
                if !matches!(**error, TurnError::ChildTransition { .. }) {
                    return Err(BatchError::Mutation { branch: id, source: Arc::clone(error) });
                }
            }
            // Of a child that was stopped nothing is left but what it cost.
            if matches!(outcome, Ok(_) | Err(ChildFailure::Failed(_))) {
                records.push(record);
            }
            let outcome = match outcome {
                Ok((value, draft)) => {
                    drafts.push((Arc::clone(&id), draft));
                    Ok(value)
                }
                Err(failure) => Err(ChildError::of(&id, failure)),
            };
            batch.branches.push(Branch { step: id.step.clone(), key: id.key.clone(), outcome });
        }
        if control.is_atomic && batch.rejected().next().is_some() {
            return Err(BatchError::Rejected { batch });
        }
        let mut join = Join::new(&env.flow);
        for (id, draft) in &drafts {
            join.add(id, draft)?;
        }
        join.publish(&fork.draft, &mut self.draft)?;
        for record in records {
            self.absorb(record);
        }
        Ok(batch)
    }

    /// What to start, if all of it may start.
    fn admit(
        &mut self,
        env: &Env,
        at: usize,
        children: &Children,
    ) -> Result<Vec<Start>, BatchError> {
        let step = || env.flow.name(at);
        if children.concurrency == 0 {
            return Err(BatchError::Configuration {
                step: step(),
                reason: "no child can run at a `Children::concurrency` of 0: give 1 or more",
            });
        }
        let limits = &env.flow.limits;
        let too_many = |what, limit| BatchError::Limit { step: step(), what, limit };
        if self.depth >= limits.nesting && !children.list.is_empty() {
            return Err(too_many("levels of children", limits.nesting));
        }
        if children.list.len() > usize::try_from(limits.invocations).unwrap_or(usize::MAX) {
            return Err(too_many("children", limits.invocations));
        }
        let starts = self.identify(env, at, &children.list)?;
        check_keys(&starts)?;
        for start in &starts {
            start.check_params(env)?;
        }
        // The last check, so that a batch that does not start takes no room.
        if env.count_invocations(starts.len()) {
            Ok(starts)
        } else {
            Err(too_many("children", limits.invocations))
        }
    }

    fn identify(
        &mut self,
        env: &Env,
        started_by: usize,
        children: &[Child],
    ) -> Result<Vec<Start>, BatchError> {
        let parent = self.branch.as_ref().map(|own| Arc::clone(&own.id));
        let mut starts = Vec::with_capacity(children.len());
        for (index, child) in children.iter().enumerate() {
            let (step, key) = (child.step.clone(), child.key.clone());
            let at = env.flow.place(&step).map_err(|error| {
                self.tell_mistake(env, started_by, &ChildError::new(&step, error));
                BatchError::UnknownStep { step: step.clone(), index, flow: env.flow.id.clone() }
            })?;
            let id = Arc::new(BranchId { step, key, index, parent: parent.clone() });
            starts.push(Start { id, at, child: child.clone() });
        }
        Ok(starts)
    }

    /// Warns of a child that failed by a mistake in the flow's code, since its caller may drop the error. Where a journal
    /// keeps nothing, the turn fails.
    fn tell_mistake(&mut self, env: &Env, at: usize, error: &ChildError) {
        match error.failure.mistake() {
            Some(mistake @ TurnError::Journal { .. }) => drop(self.fault.set(mistake)),
            Some(_) => self.warn(&env.flow.name(at), error.to_string()),
            None => {}
        }
    }
}

/// Whether children of the same step can be told apart.
fn check_keys(starts: &[Start]) -> Result<(), BatchError> {
    let mut first_of: HashMap<&StepId, &BranchId> = HashMap::new();
    let mut keyed: HashMap<(&StepId, &str), &BranchId> = HashMap::new();
    for start in starts {
        let id = &*start.id;
        let duplicate = |key: Option<&str>, first: &BranchId| BatchError::DuplicateKey {
            step: id.step.clone(),
            key: key.map(str::to_owned),
            first: first.index,
            second: id.index,
        };
        let first = *first_of.entry(&id.step).or_insert(id);
        let own_key = key_of(id);
        if first.index != id.index && (own_key.is_none() || key_of(first).is_none()) {
            return Err(duplicate(None, first));
        }
        let Some(key) = own_key else {
            continue;
        };
        match keyed.entry((&id.step, key)) {
            Entry::Occupied(first) => return Err(duplicate(Some(key), first.get())),
            Entry::Vacant(place) => {
                place.insert(id);
            }
        }
    }
    Ok(())
}

/// A key that tells something: a blank one does not.
fn key_of(id: &BranchId) -> Option<&str> {
    id.key.as_deref().filter(|key| !key.trim().is_empty())
}
