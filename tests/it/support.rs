//! What the tests share: a flow made of steps, and a conversation that is checked after every turn.

mod batch;
mod faulty;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(
    feature = "genai",
    feature = "mcp",
    feature = "postgres",
    feature = "restate",
    feature = "server"
))]
mod prepared;
#[cfg(feature = "postgres")]
mod proxy;
#[cfg(any(feature = "mcp", feature = "server"))]
mod requests;
mod stores;
mod telling;
mod wait;

pub(crate) use batch::{Lab, Setup, outcomes, worker};
pub(crate) use faulty::{Fault, Faulty};
#[cfg(feature = "postgres")]
pub(crate) use postgres::{Database, server};
#[cfg(any(
    feature = "genai",
    feature = "mcp",
    feature = "postgres",
    feature = "restate",
    feature = "server"
))]
pub(crate) use prepared::prepared;
#[cfg(feature = "postgres")]
pub(crate) use proxy::{Line, Proxy};
#[cfg(any(feature = "mcp", feature = "server"))]
pub(crate) use requests::{LONG, Log, raw, status};
pub(crate) use stores::{Broken, Watched};
pub(crate) use telling::{Ended, SESSION, Telling, Told, polled, tell};
pub(crate) use wait::PATIENCE;
#[cfg(any(feature = "mcp", feature = "restate"))]
pub(crate) use wait::lasting_port;
#[cfg(feature = "mcp")]
pub(crate) use wait::settled;
#[cfg(any(feature = "cli", feature = "restate"))]
pub(crate) use wait::until;
#[cfg(any(feature = "mcp", feature = "postgres", feature = "server"))]
pub(crate) use wait::{found, within};

use picoflow::{
    BoxFuture, EngineBuilder, Reply, TurnError, TurnEvent,
    model::{ChatModel, ChatRequest, ModelError},
    no_arguments,
    prelude::*,
    session::{MemoryStore, Message, Session, SessionQuery, SessionStore},
    testing::{Rule, ScriptedModel, check_history, check_request},
};
use std::sync::{Arc, Mutex};

/// A flow that is nothing but its steps.
pub(crate) struct TestFlow {
    steps: Steps,
    definitions: Vec<ToolDefinition>,
    limits: Limits,
    initial: Option<StepId>,
}

impl TestFlow {
    pub(crate) fn new(steps: Steps) -> Self {
        Self { steps, definitions: Vec::new(), limits: Limits::default(), initial: None }
    }

    /// Defines tools without arguments.
    pub(crate) fn define<const N: usize>(mut self, names: [&str; N]) -> Self {
        self.definitions.extend(names.map(definition));
        self
    }

    pub(crate) fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) fn initial(mut self, step: impl Into<StepId>) -> Self {
        self.initial = Some(step.into());
        self
    }
}

impl Flow for TestFlow {
    const ID: FlowId = FlowId::new("TestFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        self.steps.clone()
    }

    fn initial_step(&self, _context: &Value) -> Option<StepId> {
        self.initial.clone()
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        self.definitions.clone()
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

/// A tool without arguments.
pub(crate) fn definition(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, format!("The tool {name}"), no_arguments())
}

/// One conversation. After every turn, also a failed one, the stored sessions and all requests of the model are held
/// to the rules that always hold.
pub(crate) struct Talk {
    pub(crate) engine: Engine,
    store: Arc<dyn SessionStore>,
    flow: FlowId,
    session: Option<String>,
    seen: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Talk {
    pub(crate) async fn new(steps: Steps, model: impl ChatModel) -> Self {
        Self::of(TestFlow::new(steps), model).await
    }

    pub(crate) async fn of(flow: impl Flow, model: impl ChatModel) -> Self {
        Self::on(flow, model, Arc::new(MemoryStore::new())).await
    }

    pub(crate) async fn on(
        flow: impl Flow,
        model: impl ChatModel,
        store: Arc<dyn SessionStore>,
    ) -> Self {
        Self::open(flow, model, Arc::clone(&store), store, |engine| engine).await
    }

    /// The engine gets `store`; the checks look into `behind`, which is what `store` writes to.
    pub(crate) async fn open<F: Flow>(
        flow: F,
        model: impl ChatModel,
        store: impl SessionStore,
        behind: Arc<dyn SessionStore>,
        more: impl FnOnce(EngineBuilder) -> EngineBuilder,
    ) -> Self {
        let seen = Arc::default();
        let model = Recorder { model: Box::new(model), seen: Arc::clone(&seen) };
        let builder = Engine::builder().flow(flow).model(model).store(store);
        Self {
            engine: more(builder).build().await.unwrap(),
            store: behind,
            flow: F::ID,
            session: None,
            seen,
        }
    }

    /// The next turn of the conversation, with this message.
    pub(crate) fn turn(&self, message: &str) -> Turn {
        let turn = self.opening().message(message);
        match &self.session {
            Some(id) => turn.session(id),
            None => turn,
        }
    }

    /// The first turn of a conversation, without a message.
    pub(crate) fn opening(&self) -> Turn {
        Turn::new(&self.flow)
    }

    /// Runs a turn that succeeds.
    pub(crate) async fn say(&mut self, message: &str) -> Reply {
        self.run(self.turn(message)).await.unwrap()
    }

    /// Runs a turn that fails.
    pub(crate) async fn fail(&mut self, message: &str) -> TurnError {
        self.run(self.turn(message)).await.unwrap_err()
    }

    pub(crate) async fn run(&mut self, turn: Turn) -> Result<Reply, TurnError> {
        let before = self.stored().await;
        let result = self.engine.run(turn).await;
        self.check_requests();
        let after = self.stored().await;
        for session in &after {
            check_history(session).unwrap();
            check_document(session);
        }
        match &result {
            Ok(reply) => {
                check_success(&before, &after, reply);
                self.session = Some(reply.session.clone());
            }
            Err(error) => check_failure(&before, &after, error),
        }
        result
    }

    /// The session's document as it is stored.
    pub(crate) async fn session(&self) -> Session {
        let id = self.session.as_deref().unwrap();
        let session = self.store.load(id).await.unwrap().unwrap();
        check_history(&session).unwrap();
        session
    }

    pub(crate) fn id(&self) -> &str {
        self.session.as_deref().unwrap()
    }

    /// A step's stored state; `null` if it has none.
    pub(crate) async fn state(&self, step: &str) -> Value {
        let session = self.session().await;
        session.state(step).cloned().unwrap_or_default()
    }

    /// The stored conversation of a namespace, each message as `speaker: text`.
    pub(crate) async fn memory(&self, namespace: &str) -> Vec<String> {
        let session = self.session().await;
        let memory = session.flow.memory.get(namespace);
        memory.map_or_else(Vec::new, |memory| lines(memory.conversation()))
    }

    /// Every request of the model so far.
    pub(crate) fn requests(&self) -> Vec<ChatRequest> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last_request(&self) -> ChatRequest {
        self.requests().pop().unwrap()
    }

    /// Every stored session, by id.
    pub(crate) async fn stored(&self) -> Vec<Session> {
        let list = self.store.list(&SessionQuery::default()).await.unwrap();
        let mut sessions = Vec::new();
        for summary in list {
            let session = self.store.load(&summary.id).await.unwrap();
            if let Some(session) = &session {
                check_history(session).unwrap();
            }
            sessions.extend(session);
        }
        sessions
    }

    /// What a model gets to see is a history that a provider takes.
    fn check_requests(&self) {
        for request in self.requests() {
            check_request(&request).unwrap();
        }
    }
}

/// A store that keeps text can read back what is stored, and no secret is in it.
pub(crate) fn check_document(session: &Session) {
    let text = serde_json::to_string(session).unwrap();
    let back: Session = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    #[cfg(any(feature = "genai", feature = "mcp"))]
    crate::secrets::search("a session", &text);
}

fn check_success(before: &[Session], after: &[Session], reply: &Reply) {
    for now in after {
        let was = before.iter().find(|was| was.id == now.id);
        if now.id == reply.session {
            assert_eq!(now.revision, was.map_or(0, |was| was.revision + 1));
            assert_eq!(now.flow.current_step, reply.step);
        } else {
            assert_eq!(Some(now), was);
        }
    }
    assert!(after.iter().any(|now| now.id == reply.session));
}

/// A failed turn leaves every session as it was, but for an entry in the `error` list of its own.
fn check_failure(before: &[Session], after: &[Session], error: &TurnError) {
    assert_eq!(before.len(), after.len());
    for (was, now) in before.iter().zip(after) {
        if was == now {
            continue;
        }
        let mut now = now.clone();
        let entry = now.error.pop().unwrap();
        assert_eq!(entry.extra["code"], error.code());
        assert_eq!(entry.message, error.to_string());
        assert_eq!(now.revision, was.revision + 1);
        now.revision = was.revision;
        now.save_on = was.save_on;
        // What the turn cost is paid all the same.
        assert!(now.tokens.total_tokens >= was.tokens.total_tokens);
        now.tokens = was.tokens;
        assert_eq!(*was, now);
    }
}

/// Messages as `speaker: text`.
pub(crate) fn lines(messages: &[Arc<Message>]) -> Vec<String> {
    let line = |message: &Arc<Message>| {
        let document = serde_json::to_value(&**message).unwrap();
        let speaker = document["type"].as_str().unwrap().to_owned();
        let calls: Vec<_> = message.tool_calls().iter().map(ToolCall::name).collect();
        let calls = match &*calls {
            [] => String::new(),
            names => format!("[{}]", names.join(", ")),
        };
        format!("{speaker}: {}{calls}", message.content)
    };
    messages.iter().map(line).collect()
}

/// The names of the tools that a request offers.
pub(crate) fn offered(request: &ChatRequest) -> Vec<String> {
    let names = request.tools.iter().map(|tool| tool.name().to_owned());
    names.collect()
}

/// The names of the tools that a step exposes.
pub(crate) fn exposed(engine: &Engine, step: &str) -> Vec<String> {
    let flow = engine.flows().next().unwrap();
    let tools = flow.step(step).unwrap().tools();
    tools.map(|tool| tool.name().to_owned()).collect()
}

/// The answers to tool calls in a request, in order.
pub(crate) fn answers(request: &ChatRequest) -> Vec<String> {
    let lines = lines(&request.messages);
    let answers = lines.iter().filter_map(|line| line.strip_prefix("tool: "));
    answers.map(str::to_owned).collect()
}

/// The events of a reply, in short.
pub(crate) fn events(reply: &Reply) -> Vec<String> {
    let short = |event: &TurnEvent| match event {
        TurnEvent::ModelCalled { step } => format!("model {step}"),
        TurnEvent::ToolCalled { tool, .. } => format!("tool {tool}"),
        TurnEvent::Moved { from, to } => format!("{from} -> {to}"),
        TurnEvent::ChildStarted { step, level } => format!("child {step} {level}"),
        TurnEvent::Said { text } => format!("said {text}"),
        TurnEvent::Summarised { namespace, messages } => {
            format!("summarised {namespace} {messages}")
        }
        TurnEvent::Warned { message } => format!("warned {message}"),
        _ => "?".to_owned(),
    };
    reply.events.iter().map(short).collect()
}

pub(crate) fn warnings(reply: &Reply) -> Vec<&str> {
    reply.warnings().collect()
}

/// A list that steps write to and tests read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal(Arc<Mutex<Vec<String>>>);

impl Journal {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    /// What was written since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Remembers every request.
struct Recorder {
    model: Box<dyn ChatModel>,
    seen: Arc<Mutex<Vec<ChatRequest>>>,
}

impl ChatModel for Recorder {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        self.seen.lock().unwrap().push(request.clone());
        self.model.generate(request)
    }
}

/// A model that calls these tools once, without arguments, then answers with a text.
pub(crate) fn calls(names: &[&'static str]) -> ScriptedModel {
    let calls: Vec<_> = names.iter().map(|&name| (name, json!({}))).collect();
    ScriptedModel::new().on_call(Rule::new().times(1), calls).on(Rule::new(), "Done.")
}

/// Runs `work` to its end on a runtime whose clock moves when nothing else does.
pub(crate) fn run_paused<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
}
