//! One branch of a batch: from its fork, within its time, to what it leaves.

use crate::{
    BatchError, BranchId, Child, ChildFailure, ParallelInvocation,
    model::Usage,
    run::{Draft, Env, Record, Run, Writes, key::Started, taken::Taken},
};
use futures_util::future::{Either, pending, select};
use serde_json::Value;
use std::{
    pin::pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A child that may start.
pub(super) struct Start {
    pub(super) id: Arc<BranchId>,
    pub(super) at: usize,
    pub(super) child: Child,
}

/// What it came to.
pub(super) struct Ended {
    pub(super) id: Arc<BranchId>,
    pub(super) outcome: Result<(Value, Draft), ChildFailure>,
    pub(super) record: Record,
}

/// What every branch of a batch begins with.
pub(super) struct Fork {
    env: Arc<Env>,
    pub(super) draft: Draft,
    taken: Taken,
    depth: u32,
    /// What the names of the branches' calls begin with.
    scope: String,
}

impl Fork {
    pub(super) fn of(run: &mut Run) -> Self {
        let mut draft = run.draft.clone();
        draft.edit().writes = Some(Writes::default());
        let scope = run.scope_of_batch();
        let taken = run.taken.clone();
        Self { env: Arc::clone(&run.env), draft, taken, depth: run.depth, scope }
    }

    fn run(&self, start: &Start, cancellation: &CancellationToken) -> Run {
        Run {
            env: Arc::new(self.env.fork(cancellation.clone())),
            draft: self.draft.clone(),
            depth: self.depth,
            branch: Some(Arc::new(ParallelInvocation {
                params: start.child.params.clone(),
                key: start.child.key.clone(),
                index: start.id.index,
                id: Arc::clone(&start.id),
                cancellation: cancellation.clone(),
            })),
            record: Record::default(),
            fault: OnceLock::new(),
            images: Vec::new(),
            transitions: 0,
            taken: self.taken.clone(),
            started: Started::default(),
            scope: match &start.id.key {
                Some(key) => format!("{}{}:{key}/", self.scope, start.id.step),
                None => format!("{}{}/", self.scope, start.id.step),
            },
        }
    }
}

/// What the branches of a batch are told from outside.
pub(super) struct Control {
    token: CancellationToken,
    /// The limit of the whole batch, once it has passed.
    timed_out: OnceLock<Duration>,
    pub(super) is_atomic: bool,
}

impl Control {
    pub(super) fn new(env: &Env, is_atomic: bool) -> Self {
        let token = env.cancellation.child_token();
        Self { token, timed_out: OnceLock::new(), is_atomic }
    }

    /// Cancels the batch when `signal` fires or the time is up.
    pub(super) async fn watch(&self, limit: Option<Duration>, signal: Option<&CancellationToken>) {
        let signal = async {
            match signal {
                Some(signal) => signal.cancelled().await,
                None => pending().await,
            }
        };
        if let Some(limit) = limit {
            if timeout(limit, signal).await.is_err() {
                self.timed_out.get_or_init(|| limit);
            }
        } else {
            signal.await;
        }
        self.token.cancel();
    }
}

/// Adds what the branches cost to the turn's usage, also if the batch is dropped in the middle, as by the time-out of the
/// handler that waits for it.
pub(super) struct Account<'r> {
    total: &'r mut Usage,
    spent: Mutex<Usage>,
}

impl<'r> Account<'r> {
    pub(super) fn new(total: &'r mut Usage) -> Self {
        Self { total, spent: Mutex::default() }
    }

    pub(super) const fn spent(&self) -> &Mutex<Usage> {
        &self.spent
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        let spent = self.spent.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.total.add(spent);
    }
}

/// A branch's run, which accounts for its model calls however it ends.
struct Accounted<'a> {
    run: Run,
    spent: &'a Mutex<Usage>,
}

impl Drop for Accounted<'_> {
    fn drop(&mut self) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.add(&self.run.record.usage);
    }
}

impl Accounted<'_> {
    /// What is left of the run. Its usage is not in the record: that is accounted for on its own.
    fn take(&mut self) -> (Draft, Record) {
        let record = std::mem::take(&mut self.run.record);
        self.run.record.usage = record.usage;
        (self.run.draft.clone(), Record { usage: Usage::default(), ..record })
    }
}

impl Start {
    pub(super) fn check_params(&self, env: &Env) -> Result<(), BatchError> {
        let step = env.flow.steps.get(self.at);
        let checked = step.map_or(Ok(()), |step| step.step.dyn_check_params(&self.child.params));
        checked.map_err(|source| BatchError::Params { branch: Arc::clone(&self.id), source })
    }

    pub(super) async fn run(&self, fork: &Fork, control: &Control, spent: &Mutex<Usage>) -> Ended {
        let id = Arc::clone(&self.id);
        if control.token.is_cancelled() {
            return Ended { id, outcome: Err(ChildFailure::NotStarted), record: Record::default() };
        }
        let token = control.token.child_token();
        let mut branch = Accounted { run: fork.run(self, &token), spent };
        let outcome = self.bounded(&mut branch.run, control, &token).await;
        // A misuse counts however the child ended.
        let fault = branch.run.fault.take();
        let outcome = fault.map_or(outcome, |fault| Err(fault.into()));
        if control.is_atomic && outcome.is_err() {
            control.token.cancel();
        }
        let (draft, record) = branch.take();
        Ended { id, outcome: outcome.map(|value| (value, draft)), record }
    }

    /// Runs the child until it has its answer or is told to stop, and then for the grace period.
    async fn bounded(
        &self,
        run: &mut Run,
        control: &Control,
        token: &CancellationToken,
    ) -> Result<Value, ChildFailure> {
        let env = Arc::clone(&run.env);
        let limits = &env.step(self.at)?.limits;
        let limit = self.child.timeout.unwrap_or(limits.child_timeout);
        let grace = limits.child_grace;
        let mut work = pin!(run.child(&env, self.at, self.child.message.clone()));
        let stop = async { timeout(limit, token.cancelled()).await.is_err() };
        let (result, is_late) = match select(&mut work, pin!(stop)).await {
            Either::Left((result, _)) if !token.is_cancelled() => {
                return result.map_err(ChildFailure::from);
            }
            // It was told at this very moment.
            Either::Left((result, _)) => (Ok(result), false),
            Either::Right((is_late, _)) => {
                token.cancel();
                (timeout(grace, work).await, is_late)
            }
        };
        let passed = if is_late { Some(limit) } else { control.timed_out.get().copied() };
        match (result, passed) {
            (_, Some(limit)) => Err(ChildFailure::TimedOut { limit }),
            (Ok(Ok(value)), None) => Ok(value),
            (Ok(Err(error)), None) if error.as_mistake().is_some() => Err(error.into()),
            (Ok(Err(_)), None) => Err(ChildFailure::Cancelled),
            (Err(_), None) => Err(ChildFailure::Unresponsive { grace }),
        }
    }
}
