//! A step that starts children and a step that does, as a child, what its parameters say.

use super::{Journal, Talk, TestFlow};
use futures_util::future::{BoxFuture, pending};
use picoflow::{
    Batch, BatchError, BranchId, ChatModel, ChildError, Reply,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::sleep;

type Start = Box<dyn Fn() -> Children + Send + Sync>;
type Slot = Arc<Mutex<Option<Result<Batch, BatchError>>>>;

/// Starts the test's children and keeps what came of them.
pub(crate) struct Starter {
    start: Start,
    came: Slot,
}

#[tools]
impl Step for Starter {
    /// Start the children
    #[tool(define)]
    async fn start(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let came = cx.run_steps((self.start)()).await;
        *self.came.lock().unwrap() = Some(came);
        stay()
    }
}

/// Does the operations in its parameters, one after the other, on entry. What it sees and does goes into the journal.
pub(crate) struct Worker {
    pub(crate) journal: Journal,
    pub(crate) channels: fn() -> Channels,
    pub(crate) limits: Limits,
}

#[tools]
impl Step for Worker {
    fn limits(&self, _inherited: Limits) -> Limits {
        self.limits
    }

    fn state_channels(&self) -> Channels {
        (self.channels)()
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        let own = cx.parallel().cloned().ok_or("not a child")?;
        self.journal.add(format!("{} enters", own.id));
        cx.log(format!("{} works", own.id));
        let ops = own.params.as_array().cloned().unwrap_or_default();
        for op in &ops {
            self.work(cx, &own.id, op).await?;
        }
        Ok(())
    }

    async fn on_exit(&self, cx: &mut Cx<'_>) -> HookResult {
        let own = cx.parallel().cloned().ok_or("not a child")?;
        self.journal.add(format!("{} exits", own.id));
        Ok(())
    }

    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        let own = cx.parallel().cloned().ok_or("not a child")?;
        self.journal.add(format!("{} answers", own.id));
        Ok(output.into_text().into())
    }
}

impl Worker {
    fn work<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        id: &'a BranchId,
        op: &'a Value,
    ) -> BoxFuture<'a, HookResult> {
        Box::pin(async move {
            let (name, with) = op.as_object().and_then(|op| op.iter().next()).ok_or("no op")?;
            match name.as_str() {
                "save" => cx.save_state(with),
                "remove" => drop(cx.remove_state(with.as_str().unwrap_or_default())),
                "give" => cx.contribute(with[0].as_str().unwrap_or_default(), &with[1]),
                "wait" => sleep(millis(with)).await,
                "tick" => {
                    for _ in 0..with.as_u64().unwrap_or_default() {
                        sleep(Duration::from_millis(1)).await;
                        self.journal.add(format!("{id} ticks"));
                    }
                }
                "hang" => pending().await,
                // Takes so long to come to an end, and says so or not.
                "until told" => {
                    cx.cancellation().cancelled().await;
                    self.journal.add(format!("{id} is told"));
                    sleep(millis(with)).await;
                }
                "fail" => return Err(with.as_str().unwrap_or("failed").into()),
                "panic" => panic!("the child bursts"),
                "complete" => cx.mark_completed(),
                "nest" => drop(cx.run_steps(children(with)).await?),
                "nest atomic" => drop(cx.run_steps(Children::new(children(with)).atomic()).await?),
                "try" => {
                    let came = cx.run_steps(children(with)).await;
                    let told = |error: BatchError| format!("{} {error}", error.code());
                    self.journal.add(came.map_or_else(told, |_| "ok".into()));
                }
                "run" => {
                    let came =
                        cx.run_step(with.as_str().unwrap_or_default().to_owned(), None).await;
                    let came = came.map_or_else(|error| error.to_string(), |it| it.to_string());
                    self.journal.add(came);
                }
                "see" => self.journal.add(format!("{id} sees {}", cx.state())),
                other => return Err(format!("no op `{other}`").into()),
            }
            Ok(())
        })
    }
}

fn millis(value: &Value) -> Duration {
    Duration::from_millis(value.as_u64().unwrap_or_default())
}

/// Children from `[[key, operations], ..]`.
pub(crate) fn children(list: &Value) -> Vec<Child> {
    let pairs = list.as_array().into_iter().flatten();
    pairs.map(|pair| worker(pair[0].as_str().unwrap(), pair[1].clone())).collect()
}

/// A child that does these operations.
pub(crate) fn worker(key: &str, ops: Value) -> Child {
    Child::new(Worker::ID).key(key).params(ops)
}

/// A conversation in which `start` starts the children.
pub(crate) struct Lab {
    pub(crate) talk: Talk,
    pub(crate) journal: Journal,
    came: Slot,
}

/// What a laboratory is made of.
pub(crate) struct Setup {
    pub(crate) channels: fn() -> Channels,
    pub(crate) limits: Limits,
    pub(crate) worker_limits: Option<Limits>,
    pub(crate) more: fn(Steps) -> Steps,
    /// What happens to the workers' histories and states on entry.
    pub(crate) entry: OnEntry,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            channels: Channels::new,
            limits: Limits::default(),
            worker_limits: None,
            more: |steps| steps,
            entry: OnEntry::Keep,
        }
    }
}

impl Lab {
    pub(crate) async fn new<C: Into<Children>>(
        start: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        Self::with(Setup::default(), start).await
    }

    pub(crate) async fn with<C: Into<Children>>(
        setup: Setup,
        start: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        let starts = [("start", json!({}))];
        let model = ScriptedModel::new()
            .on_call(Rule::new().step("Starter").latest("start"), starts)
            .on(Rule::new(), "Done.");
        Self::over(setup, model, start).await
    }

    /// The same with a model that makes the call `start` when that is what the user says.
    pub(crate) async fn over<C: Into<Children>>(
        setup: Setup,
        model: impl ChatModel,
        start: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        let (journal, came) = (Journal::default(), Slot::default());
        let starter = Starter { start: Box::new(move || start().into()), came: Arc::clone(&came) };
        let worker = Worker {
            journal: journal.clone(),
            channels: setup.channels,
            limits: setup.worker_limits.unwrap_or(setup.limits),
        };
        let steps = (setup.more)(Steps::new().add(starter).add(worker.on_entry(setup.entry)));
        let talk = Talk::of(TestFlow::new(steps).limits(setup.limits), model).await;
        Self { talk, journal, came }
    }

    /// Runs the children in a turn that succeeds.
    pub(crate) async fn start(&mut self) -> (Reply, Result<Batch, BatchError>) {
        let reply = self.talk.say("start").await;
        (reply, self.came().unwrap())
    }

    /// What came of the children since the last time.
    pub(crate) fn came(&self) -> Option<Result<Batch, BatchError>> {
        self.came.lock().unwrap().take()
    }

    /// How many children are in the stored sequence, and the stored log.
    pub(crate) async fn traces(&self) -> (usize, Vec<String>) {
        let session = self.talk.session().await;
        let moves = session.flow.sequence.iter().filter(|entry| entry.level > 1).count();
        (moves, session.log.iter().map(|entry| entry.message.clone()).collect())
    }

    /// The workers' stored state.
    pub(crate) async fn state(&self) -> Value {
        self.talk.state("Worker").await
    }
}

/// The outcomes of a batch: `ok`, or the code.
pub(crate) fn outcomes(batch: &Batch) -> Vec<&'static str> {
    let outcomes = batch.branches.iter().map(|branch| branch.outcome.as_ref());
    outcomes.map(|outcome| outcome.map_or_else(ChildError::code, |_| "ok")).collect()
}
