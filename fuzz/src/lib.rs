//! What is fuzzed: each function takes any bytes, and panics if picoflow does not keep what it promises. They are apart
//! from the fuzzer, so that the tests can run them too.

use picoflow::{
    BoxFuture, Engine, TurnError,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MemoryStore, Message, Session, SessionQuery, SessionStore, check_history},
    testing::Scenario,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};
use tokio::runtime::Runtime;

/// Has parameters of many types.
struct Desk;

/// What a tool may be called with.
#[derive(Deserialize, JsonSchema)]
struct Order {
    lines: Vec<Line>,
    notes: Option<BTreeMap<String, Value>>,
    paid_by: Payment,
    next: Option<Box<Self>>,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    #[schemars(range(min = 1))]
    count: u8,
    price: f64,
    #[schemars(length(max = 10))]
    item: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Payment {
    Cash,
    Card { number: String },
}

#[tools]
impl Step for Desk {
    /// Order
    #[tool(define)]
    fn order(&self, cx: &mut Cx<'_>, Args(order): Args<Order>) -> ToolResponse {
        let count: u32 = order.lines.iter().map(|line| u32::from(line.count)).sum();
        let prices: f64 = order.lines.iter().map(|line| line.price).sum();
        let items: usize = order.lines.iter().map(|line| line.item.len()).sum();
        let digits = match &order.paid_by {
            Payment::Cash => 0,
            Payment::Card { number } => number.len(),
        };
        cx.save_state(json!({ "count": count, "notes": order.notes, "items": items }));
        stay_with(format!("{prices} {digits} {}", order.next.is_some()))
    }

    /// Add
    #[tool(define, lenient)]
    fn add(&self, a: i64, b: Option<u64>, text: String) -> ToolResponse {
        stay_with(format!("{a} {b:?} {text}"))
    }

    /// Keep
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, anything: Value) -> ToolResponse {
        cx.save_state(json!({ "kept": anything }));
        go(End::ID)
    }
}

struct End;

#[tools]
impl Step for End {}

struct FuzzFlow;

#[tools]
impl Flow for FuzzFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("none", "echo")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Desk).add(End)
    }
}

/// Calls the tool that the user's message begins with, with the rest of it; else says the same.
struct Echo;

impl ChatModel for Echo {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let latest = request.latest().map_or("", |latest| &latest.content);
        let is_human = request.latest().is_some_and(Message::is_human);
        let reply = match latest.split_once(' ') {
            Some((tool @ ("order" | "add" | "keep"), text)) if is_human => {
                ModelReply::calls([ToolCall::from_text("1", tool, text)])
            }
            _ => ModelReply::text(format!("heard: {latest}")),
        };
        Box::pin(async move { Ok(reply) })
    }
}

struct Lab {
    runtime: Runtime,
    engine: Engine,
    store: Arc<MemoryStore>,
}

impl Lab {
    fn new() -> Self {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().build().expect("a runtime");
        let store = Arc::new(MemoryStore::new());
        let builder = Engine::builder().flow(FuzzFlow).model(Echo).store(Arc::clone(&store));
        let engine = runtime.block_on(builder.build()).expect("an engine");
        Self { runtime, engine, store }
    }
}

static SESSIONS: LazyLock<Lab> = LazyLock::new(Lab::new);
static ARGUMENTS: LazyLock<Lab> = LazyLock::new(Lab::new);
static SCENARIOS: LazyLock<Lab> = LazyLock::new(Lab::new);

/// A session that a store holds can be read again, and is the same.
fn check_document(session: &Session) {
    let text = serde_json::to_string(session).expect("a session is JSON");
    let back: Session = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(serde_json::to_string(&back).expect("a session is JSON"), text);
}

/// A turn may fail, but not by a panic.
fn check_error(error: &TurnError) {
    assert!(!matches!(error, TurnError::Panicked { .. }), "{error}");
    assert!(!error.code().is_empty() && !error.to_string().is_empty());
}

/// Any text as a session's document: it is read or refused, and a turn on it ends.
pub fn session(data: &[u8]) {
    let Ok(read) = serde_json::from_slice::<Session>(data) else {
        return;
    };
    check_document(&read);
    let was_valid = check_history(&read).is_ok();
    let lab = &*SESSIONS;
    lab.runtime.block_on(async {
        let id = read.id.clone();
        lab.store.create(&read).await.expect("a free id");
        for message in ["Hi", "keep {\"anything\":1}"] {
            let turn = Turn::new("FuzzFlow").session(&id).message(message);
            if let Err(error) = lab.engine.run(turn).await {
                check_error(&error);
            }
        }
        let after = lab.store.load(&id).await.expect("a store").expect("a session");
        check_document(&after);
        if was_valid {
            check_history(&after).expect("a valid history stays one");
        }
        lab.store.delete(&id, None).await.expect("a store");
    });
}

/// Any text as the arguments of a tool: they are taken or answered, and the session is as good as before.
pub fn arguments(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let lab = &*ARGUMENTS;
    lab.runtime.block_on(async {
        for tool in ["order", "add", "keep"] {
            let message = format!("{tool} {text}");
            let reply = match lab.engine.run(Turn::new("FuzzFlow").message(message)).await {
                Ok(reply) => reply,
                Err(error) => {
                    assert_eq!(error.code(), "MESSAGE_TOO_LARGE", "{error}");
                    return;
                }
            };
            let turn = Turn::new("FuzzFlow").session(&reply.session).message("Hi");
            lab.engine.run(turn).await.expect("the next turn");
            let stored = lab.store.load(&reply.session).await.expect("a store").expect("a session");
            check_history(&stored).expect("a valid history");
            check_document(&stored);
            lab.store.delete(&reply.session, None).await.expect("a store");
        }
    });
}

/// Any text as a scenario: it is read or refused, and it passes or not.
pub fn scenario(data: &[u8]) {
    let Ok(scenario) = serde_json::from_slice::<Scenario>(data) else {
        return;
    };
    if scenario.turns.len() > 8 {
        return;
    }
    let lab = &*SCENARIOS;
    lab.runtime.block_on(async {
        if let Err(error) = scenario.run(&lab.engine).await {
            assert!(!error.to_string().is_empty());
        }
        for session in lab.store.list(&SessionQuery::default()).await.expect("a store") {
            lab.store.delete(&session.id, None).await.expect("a store");
        }
    });
}
