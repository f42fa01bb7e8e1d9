//! The seam between a turn and the world.

use crate::support::{Talk, TestFlow};
use futures_util::StreamExt;
use picoflow::{
    BoxFuture, CallSite, Engine, Host, Reply, TurnBatch, TurnError, TurnSite,
    model::ModelError,
    prelude::*,
    session::{MemoryStore, Session},
    testing::{Rule, ScriptedModel},
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Runs a child, children side by side, and a group.
struct Parent;

#[tools]
impl Step for Parent {
    /// Run children
    #[tool(define)]
    async fn run(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Child1::ID, Some("Work.")).await?;
        let child = |key| Child::new(Child1::ID).key(key).message("Work.");
        cx.run_steps([child("a"), child("b")]).await?;
        cx.warn("it ran");
        Ok(stay_with("ran"))
    }

    /// One of two
    #[tool(define)]
    fn left(&self) -> ToolResponse {
        stay()
    }

    /// The other
    #[tool(define)]
    fn right(&self) -> ToolResponse {
        stay()
    }

    #[tools(["left", "right"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay_with("both")
    }
}

struct Child1;

#[tools]
impl Step for Child1 {}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().latest("run"), [("run", json!({}))])
        .on_call(Rule::new().latest("ran"), [("left", json!({})), ("right", json!({}))])
        .on(Rule::new(), "Done.")
}

/// A clock, numbers and ids that are the same in every run; remembers the calls.
#[derive(Clone, Default)]
struct Fixed {
    ticks: Arc<AtomicU64>,
    sites: Arc<Mutex<Vec<String>>>,
    replay: bool,
}

impl Fixed {
    fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::SeqCst)
    }

    fn add(&self, site: &CallSite<'_>) {
        let line = format!("{} {:?}", site.step, site.call);
        self.sites.lock().unwrap().push(line);
    }
}

impl Host for Fixed {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(1_800_000_000_000 + self.tick())
    }

    fn random(&self) -> u64 {
        self.tick()
    }

    fn session_id(&self) -> String {
        format!("session-{}", self.tick())
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn model_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.add(&site);
        if self.replay {
            return Box::pin(async { Ok(ModelReply::text("As before.")) });
        }
        call
    }

    fn tool_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ToolResponse, ToolError>>,
    ) -> BoxFuture<'a, Result<ToolResponse, ToolError>> {
        self.add(&site);
        call
    }
}

async fn talk(host: Fixed) -> Talk {
    let store = Arc::new(MemoryStore::new());
    let shared = store.clone();
    let flow = TestFlow::new(Steps::new().add(Parent).add(Child1));
    Talk::open(flow, model(), shared, store, |engine| engine.host(host)).await
}

async fn play() -> Session {
    let mut talk = talk(Fixed::default()).await;
    talk.say("run").await;
    talk.say("run").await;
    talk.session().await
}

#[tokio::test]
async fn with_a_fixed_host_two_runs_give_the_same_document() {
    assert_eq!(play().await, play().await);
}

#[tokio::test]
async fn every_model_call_and_every_tool_call_goes_through_the_host() {
    let host = Fixed::default();
    let mut talk = talk(host.clone()).await;
    talk.say("run").await;
    assert_eq!(
        *host.sites.lock().unwrap(),
        [
            "Parent None",
            r#"Parent Some("call_1")"#,
            "Child1 None",
            "Child1 None",
            "Child1 None",
            "Parent None",
            r#"Parent Some("call_2")"#,
            "Parent None",
        ]
    );
}

#[tokio::test]
async fn a_host_may_answer_in_the_place_of_the_model() {
    let host = Fixed { replay: true, ..Fixed::default() };
    let mut talk = talk(host).await;
    assert_eq!(talk.say("run").await.text, "As before.");
    assert_eq!(talk.id(), "session-0");
}

/// Remembers the turns, and the calls with what it is told of them.
#[derive(Clone, Default)]
struct Watches(Arc<Mutex<Vec<String>>>);

impl Watches {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn add_call(&self, site: &CallSite<'_>) {
        let names: Vec<_> = site.calls.iter().map(ToolCall::name).collect();
        let latest = site.request.and_then(|request| request.latest());
        let latest = latest.map(|message| &*message.content);
        let branch = site.branch.map(ToString::to_string);
        self.add(format!("{} {branch:?} {names:?} {latest:?} {}", site.flow, site.is_streamed));
        assert_eq!(site.attempt, 1);
        let limit = Duration::from_mins(if site.call.is_some() { 1 } else { 2 });
        assert_eq!(site.limit, limit);
    }
}

impl Host for Watches {
    fn turn<'a>(
        &'a self,
        site: TurnSite<'a>,
        turn: BoxFuture<'a, Result<Reply, TurnError>>,
    ) -> BoxFuture<'a, Result<Reply, TurnError>> {
        Box::pin(async move {
            let result = turn.await;
            let end = match &result {
                Ok(reply) => &reply.text,
                Err(error) => error.code(),
            };
            self.add(format!("{} {:?} {:?}: {end}", site.model, site.session, site.message));
            result
        })
    }

    fn model_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.add_call(&site);
        call
    }

    fn tool_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ToolResponse, ToolError>>,
    ) -> BoxFuture<'a, Result<ToolResponse, ToolError>> {
        self.add_call(&site);
        call
    }

    fn around(&self, _other: Arc<dyn Host>) -> Arc<dyn Host> {
        Arc::new(self.clone())
    }
}

async fn watched(host: &Watches, model: ScriptedModel) -> Engine {
    let flow = TestFlow::new(Steps::new().add(Parent).add(Child1));
    Engine::builder().flow(flow).model(model).host(host.clone()).build().await.unwrap()
}

fn turn() -> Turn {
    Turn::new(TestFlow::ID).message("Hi")
}

#[tokio::test]
async fn every_turn_goes_through_the_host_whoever_runs_it() {
    let host = Watches::default();
    let engine = watched(&host, ScriptedModel::new().on(Rule::new(), "Done.")).await;
    let call = |is_streamed| format!(r#"TestFlow None [] Some("Hi") {is_streamed}"#);
    let end = |session: &str, end| format!(r#"test:script {session} Some("Hi"): {end}"#);

    engine.run(turn()).await.unwrap();
    assert_eq!(host.take(), [call(false), end("None", "Done.")]);

    engine.stream(turn()).count().await;
    assert_eq!(host.take(), [call(true), end("None", "Done.")]);

    let batch = TurnBatch::new("b").item("1", turn());
    engine.run_batch(batch).unwrap().count().await;
    assert_eq!(host.take(), [call(false), end(r#"Some("b:1")"#, "Done.")]);

    engine.run(turn().session("s-0")).await.unwrap_err();
    assert_eq!(host.take(), [end(r#"Some("s-0")"#, "SESSION_UNKNOWN")]);

    engine.over(MemoryStore::new(), Fixed::default()).run(turn()).await.unwrap();
    assert_eq!(host.take(), [call(false), end("None", "Done.")]);
}

#[tokio::test]
async fn a_host_is_told_what_is_called_and_in_which_branch() {
    let host = Watches::default();
    let engine = watched(&host, model()).await;
    engine.run(Turn::new(TestFlow::ID).message("run")).await.unwrap();
    let work = |branch: &str| format!(r#"TestFlow {branch} [] Some("Work.") false"#);
    let lines = host.take();
    let branches: Vec<_> = lines.iter().filter(|line| line.contains("Some(\"Work.\")")).collect();
    assert_eq!(*branches[0], work("None"));
    assert_eq!(*branches[1], work(r#"Some("Child1[a]")"#));
    assert_eq!(*branches[2], work(r#"Some("Child1[b]")"#));
    assert_eq!(lines[1], r#"TestFlow None ["run"] None false"#);
    assert!(lines.contains(&r#"TestFlow None ["left", "right"] None false"#.to_owned()));
}
