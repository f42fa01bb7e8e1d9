//! Handlers that do to the runtime what handlers should not do, and arguments and results that nobody expects.

use crate::support::{PATIENCE, Talk, TestFlow, answers};
use picoflow::{
    Engine,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::Session,
    testing::{Rule, ScriptedModel},
};
use std::{
    future::pending,
    panic::panic_any,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use tokio::{sync::oneshot, time::timeout};

const LIMIT: Duration = Duration::from_millis(100);
const FAILED: &str = "The tool failed for an internal reason. Do not assume that it did anything.";

/// Panics when it is dropped.
struct Bomb(&'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(thread::panicking(), "{} explodes", self.0);
    }
}

/// What a panic leaves behind, and panics itself when it is dropped.
struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic_any(7_u8);
    }
}

#[derive(Default)]
struct Shared {
    std: Mutex<u32>,
    tokio: tokio::sync::Mutex<u32>,
    ran_on: AtomicUsize,
    told_to_stop: AtomicBool,
    /// What blocks a thread until it is told to go on: says that it does, and is told.
    block: Mutex<Option<(oneshot::Sender<()>, mpsc::Receiver<()>)>>,
}

/// Each tool misbehaves in its own way.
struct Rude(Arc<Shared>);

#[tools]
impl Step for Rude {
    /// Block the thread, then answer
    #[tool(define)]
    fn block(&self, cx: &mut Cx<'_>) -> ToolResponse {
        thread::sleep(3 * LIMIT);
        cx.save_state(json!({ "blocked": true }));
        stay_with("blocked")
    }

    /// Block the thread until the test says so
    #[tool(define)]
    fn block_until_told(&self) -> ToolResponse {
        let (blocks, told) = self.0.block.lock().unwrap().take().unwrap();
        // From a thread of its own: a worker keeps a task that it wakes to itself, and this one is blocked.
        thread::spawn(move || blocks.send(()).unwrap());
        stay_with(if told.recv_timeout(PATIENCE).is_ok() { "told" } else { "never told" })
    }

    /// Block the thread, then wait
    #[tool(define)]
    async fn block_and_wait(&self, cx: &mut Cx<'_>) -> ToolResponse {
        thread::sleep(3 * LIMIT);
        cx.save_state(json!({ "blocked": true }));
        tokio::time::sleep(LIMIT).await;
        stay_with("waited")
    }

    /// Panic while a lock is held
    #[tool(define)]
    fn poison(&self) -> ToolResponse {
        let mut count = self.0.std.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        panic!("with the lock in hand")
    }

    /// Use the lock
    #[tool(define)]
    fn lock(&self) -> ToolResponse {
        let count = self.0.std.lock().unwrap_or_else(PoisonError::into_inner);
        stay_with(format!("{count} times"))
    }

    /// Hold a lock for ever
    #[tool(define)]
    async fn hold(&self) -> ToolResponse {
        let mut count = self.0.tokio.lock().await;
        *count += 1;
        pending().await
    }

    /// Wait for the lock
    #[tool(define)]
    async fn wait(&self) -> ToolResponse {
        let count = self.0.tokio.lock().await;
        stay_with(format!("{count} times"))
    }

    /// Panic with a number
    #[tool(define)]
    fn number(&self) -> ToolResponse {
        panic_any(42_u64)
    }

    /// Panic with what panics
    #[tool(define)]
    fn payload(&self) -> ToolResponse {
        panic_any(Payload)
    }

    /// Leave what panics when it is dropped
    #[tool(define)]
    fn bomb(&self) -> ToolResponse {
        let _bomb = Bomb("the answer");
        stay_with("armed")
    }

    /// Take too long with what panics when it is dropped in hand
    #[tool(define)]
    async fn slow_bomb(&self) -> ToolResponse {
        let _bomb = Bomb("the time-out");
        pending().await
    }

    /// Start a task that goes on
    #[tool(define)]
    async fn spawn(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let (shared, stop) = (Arc::clone(&self.0), cx.cancellation().clone());
        let (started, has_started) = oneshot::channel();
        tokio::spawn(async move {
            started.send(()).unwrap();
            stop.cancelled().await;
            shared.told_to_stop.store(true, Ordering::Release);
        });
        has_started.await.unwrap();
        stay_with("started")
    }

    /// Start a task that panics
    #[tool(define)]
    async fn spawn_panic(&self) -> Result<ToolResponse, tokio::task::JoinError> {
        tokio::spawn(async { panic!("in a task") }).await?;
        Ok(stay())
    }

    /// Fail
    #[tool(define)]
    fn fail(&self) -> Result<ToolResponse, ToolError> {
        self.0.ran_on.fetch_add(1, Ordering::Relaxed);
        Err(ToolError::internal("no"))
    }

    /// Say it again
    #[tool(define)]
    fn echo(&self, text: String) -> ToolResponse {
        stay_with(text)
    }

    /// Take anything
    #[tool(define)]
    fn any(&self, anything: Value) -> ToolResponse {
        drop(anything);
        stay_with("taken")
    }
}

/// The user's words are the tools to call, then it says what it was told last.
fn model() -> ScriptedModel {
    ScriptedModel::new().answer(Rule::new(), |request| {
        let latest = request.latest().unwrap();
        if !latest.is_human() || latest.content == "Hi" {
            return Ok(ModelReply::text("Done."));
        }
        let tools = latest.content.split(' ').enumerate();
        let call = |(i, tool): (usize, &str)| ToolCall::new(i.to_string(), tool, &json!({}));
        Ok(ModelReply::calls(tools.map(call)))
    })
}

fn flow(shared: &Arc<Shared>) -> TestFlow {
    TestFlow::new(Steps::new().add(Rude(Arc::clone(shared))))
        .limits(Limits::default().tool_timeout(LIMIT))
}

async fn talk() -> (Talk, Arc<Shared>) {
    let shared = Arc::new(Shared::default());
    (Talk::of(flow(&shared), model()).await, shared)
}

/// What the tools told the model in this turn.
async fn told(talk: &mut Talk, tools: &str) -> Vec<String> {
    talk.say(tools).await;
    let answers = answers(&talk.last_request());
    answers[answers.len() - tools.split(' ').count()..].to_vec()
}

fn last_error(session: &Session) -> &str {
    &session.error.last().unwrap().message
}

/// A limit is looked at when a handler waits, since Rust cannot stop code that does not. So what was done without a
/// wait counts, and a wait after the limit is the last.
#[tokio::test]
async fn a_handler_that_blocks_the_thread_counts_when_it_is_done_and_is_stopped_when_it_waits() {
    let (mut talk, _) = talk().await;
    assert_eq!(told(&mut talk, "block").await, ["blocked"]);
    assert_eq!(talk.state("Rude").await, json!({ "blocked": true }));
    let (mut talk, _) = self::talk().await;
    assert_eq!(told(&mut talk, "block_and_wait").await, [FAILED]);
    assert_eq!(talk.state("Rude").await, Value::Null);
    assert_eq!(last_error(&talk.session().await), "tool 'block_and_wait': took longer than 100ms");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sessions_go_on_while_a_handler_blocks_its_thread() {
    let shared = Arc::new(Shared::default());
    let (blocks, has_blocked) = oneshot::channel();
    let (go_on, told) = mpsc::channel();
    *shared.block.lock().unwrap() = Some((blocks, told));
    let engine = Engine::builder().flow(flow(&shared)).model(model()).build().await.unwrap();
    let blocked = tokio::spawn({
        let engine = engine.clone();
        async move { engine.run(Turn::new(TestFlow::ID).message("block_until_told")).await }
    });
    // On a worker as well, since the test's own thread is none.
    let others = tokio::spawn(async move {
        has_blocked.await.unwrap();
        for _ in 0..5 {
            engine.run(Turn::new(TestFlow::ID).message("Hi")).await.unwrap();
        }
        go_on.send(()).unwrap();
        let reply = blocked.await.unwrap().unwrap();
        let session = engine.session(&reply.session).await.unwrap().unwrap();
        serde_json::to_string(&session).unwrap()
    });
    let session = others.await.unwrap();
    assert!(session.contains("\"told\""), "{session}");
}

#[tokio::test]
async fn a_panic_that_holds_a_lock_poisons_it_for_its_owner_and_nobody_else() {
    let (mut talk, shared) = talk().await;
    assert_eq!(told(&mut talk, "poison lock").await, [FAILED, "1 times"]);
    assert!(shared.std.is_poisoned());
    assert_eq!(told(&mut talk, "lock").await, ["1 times"]);
}

#[tokio::test(start_paused = true)]
async fn a_lock_that_a_handler_holds_is_free_when_its_time_is_up_or_its_turn_is_dropped() {
    let (mut talk, shared) = talk().await;
    assert_eq!(told(&mut talk, "hold wait").await, [FAILED, "1 times"]);
    let dropped = talk.engine.run(talk.turn("hold"));
    assert!(timeout(LIMIT / 2, dropped).await.is_err());
    assert!(shared.tokio.try_lock().is_ok());
    assert_eq!(told(&mut talk, "wait").await, ["2 times"]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_with_anything_and_a_drop_that_panics_are_internal_errors() {
    for (tool, reason) in [
        ("number", "panicked: no message"),
        ("payload", "panicked: no message"),
        ("bomb", "panicked: the answer explodes"),
        ("slow_bomb", "took longer than 100ms"),
    ] {
        let (mut talk, _) = talk().await;
        assert_eq!(told(&mut talk, &format!("{tool} lock")).await, [FAILED, "0 times"], "{tool}");
        assert_eq!(last_error(&talk.session().await), format!("tool '{tool}': {reason}"));
        assert_eq!(talk.say("Hi").await.text, "Done.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_or_dropped_survives_a_drop_that_panics() {
    let (mut talk, _) = talk().await;
    talk.say("Hi").await;
    let token = tokio_util::sync::CancellationToken::new();
    let turn = talk.turn("slow_bomb").cancellation(token.clone());
    let (result, ()) = tokio::join!(talk.engine.run(turn), async {
        tokio::task::yield_now().await;
        token.cancel();
    });
    assert_eq!(result.unwrap_err().code(), "TURN_CANCELLED");
    let dropped = talk.engine.run(talk.turn("slow_bomb"));
    assert!(timeout(LIMIT / 2, dropped).await.is_err());
    talk.say("Hi").await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_a_handler_starts_hears_that_the_turn_is_over_and_its_panic_is_its_own() {
    let (mut talk, shared) = talk().await;
    assert_eq!(told(&mut talk, "spawn spawn_panic").await, ["started", FAILED]);
    // Its clock moves when no task can go on.
    tokio::time::sleep(LIMIT).await;
    assert!(shared.told_to_stop.load(Ordering::Acquire));
    assert!(last_error(&talk.session().await).contains("in a task"));
}

#[tokio::test]
async fn of_256_calls_that_all_fail_each_is_answered_and_noted_as_far_as_there_is_room() {
    let (mut talk, shared) = talk().await;
    let all = ["fail"; 256].join(" ");
    assert_eq!(told(&mut talk, &all).await, [FAILED; 256]);
    assert_eq!(shared.ran_on.load(Ordering::Relaxed), 256);
    assert_eq!(talk.session().await.error.len(), 200);
}

/// Calls `tool` with this argument text on the first message.
struct Calls(&'static str, String);

impl ChatModel for Calls {
    fn generate(
        &self,
        request: ChatRequest,
    ) -> picoflow::BoxFuture<'_, Result<ModelReply, ModelError>> {
        let is_human = request.latest().is_some_and(picoflow::session::Message::is_human);
        Box::pin(async move {
            Ok(if is_human {
                ModelReply::calls([ToolCall::from_text("1", self.0, &*self.1)])
            } else {
                ModelReply::text("Done.")
            })
        })
    }
}

async fn answer_to(tool: &'static str, arguments: String) -> (Talk, String) {
    let shared = Arc::new(Shared::default());
    let mut talk = Talk::of(flow(&shared), Calls(tool, arguments)).await;
    talk.say("Go").await;
    let told = answers(&talk.last_request()).pop().unwrap();
    // Also with that in its history.
    talk.say("Again").await;
    (talk, told)
}

#[tokio::test]
async fn arguments_that_nest_ten_thousand_levels_are_told_to_be_wrong_and_no_stack_overflows() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for end in ["1", ""] {
            let nested = format!("{}{end}{}", open.repeat(10_000), close.repeat(10_000));
            for text in [format!("{{\"anything\":{nested}}}"), nested] {
                let (_, told) = answer_to("any", text).await;
                assert!(told.starts_with("Invalid arguments for tool 'any': "), "{}", &told[..80]);
            }
        }
    }
}

#[tokio::test]
async fn arguments_of_four_mebibytes_are_taken_and_told_back_if_the_limit_allows() {
    let long = "x".repeat(4 * 1024 * 1024);
    let (_, told) = answer_to("echo", json!({ "text": long }).to_string()).await;
    assert!(told.starts_with("The result of tool 'echo' has 4194304 bytes"), "{}", &told[..80]);
    let (_, told) = answer_to("any", json!({ "anything": long }).to_string()).await;
    assert_eq!(told, "taken");
}

#[tokio::test]
async fn arguments_that_would_make_the_session_too_large_fail_the_turn() {
    let shared = Arc::new(Shared::default());
    let long = format!("{{\"anything\":\"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let mut talk = Talk::of(flow(&shared), Calls("any", long)).await;
    talk.say("Go").await;
    let error = talk.fail("Again").await;
    assert_eq!(error.code(), "SESSION_TOO_LARGE");
}

#[tokio::test]
async fn text_of_every_unicode_plane_comes_back_as_it_was() {
    // The first, the last and one in the middle of each plane that are characters, controls and noncharacters included.
    let mut text = String::new();
    for plane in 0..=16_u32 {
        for place in [0, 1, 0x7F, 0x300, 0x7FFF, 0xFFFD, 0xFFFE, 0xFFFF] {
            text.extend(char::from_u32(plane * 0x1_0000 + place));
        }
    }
    assert!(text.chars().count() > 130);
    let (talk, told) = answer_to("echo", json!({ "text": text }).to_string()).await;
    assert_eq!(told, text);
    assert!(talk.memory("Rude").await.contains(&format!("tool: {text}")));
    // As escapes, too.
    let units: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    let escaped = units.concat();
    let (_, told) = answer_to("echo", format!("{{\"text\":\"{escaped}\"}}")).await;
    assert_eq!(told, text);
}
