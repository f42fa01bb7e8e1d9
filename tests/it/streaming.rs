//! Turns that are watched while they run.

use crate::{
    any_conversation::{Replies, flow, reply},
    support::{TestFlow, run_paused},
};
use futures_util::{StreamExt, stream};
use picoflow::{
    BoxFuture, BoxStream, Host, Reply, TurnError, TurnEvent,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent},
    prelude::*,
    session::{MemoryStore, SessionStore},
};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::task::yield_now;

/// What a model says in answer to one request: words, and how it ends.
#[derive(Clone)]
enum Saying {
    Text(&'static [&'static str]),
    Calls(&'static [&'static str], Vec<(&'static str, Value)>),
    /// Words, and then an error that is worth another try.
    Broken(&'static [&'static str]),
    /// Words, and then nothing.
    CutOff(&'static [&'static str]),
}

/// Streams word by word what it is told to say, each word at another poll.
#[derive(Clone, Default)]
struct Words(Arc<Mutex<VecDeque<Saying>>>);

impl Words {
    fn new(sayings: impl IntoIterator<Item = Saying>) -> Self {
        Self(Arc::new(Mutex::new(sayings.into_iter().collect())))
    }

    fn next(&self) -> Saying {
        self.0.lock().unwrap().pop_front().expect("the model is asked too often")
    }
}

fn whole(saying: &Saying) -> Result<ModelReply, ModelError> {
    match saying {
        Saying::Text(words) => Ok(ModelReply::text(words.concat())),
        Saying::Calls(words, calls) => {
            let calls = calls.iter().enumerate();
            let calls =
                calls.map(|(i, (tool, args))| ToolCall::new(format!("{tool}-{i}"), *tool, args));
            let mut reply = ModelReply::calls(calls);
            reply.text = words.concat();
            Ok(reply)
        }
        Saying::Broken(_) | Saying::CutOff(_) => Err(ModelError::transient("broken")),
    }
}

impl ChatModel for Words {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let saying = self.next();
        Box::pin(async move { whole(&saying) })
    }

    fn stream(&self, _: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let saying = self.next();
        let (Saying::Text(words)
        | Saying::Calls(words, _)
        | Saying::Broken(words)
        | Saying::CutOff(words)) = saying.clone();
        let mut events = vec![Ok(ModelEvent::Reasoning("Hm.".to_owned()))];
        events.extend(words.iter().map(|word| Ok(ModelEvent::Text((*word).to_owned()))));
        if !matches!(saying, Saying::CutOff(_)) {
            events.push(whole(&saying).map(ModelEvent::Reply));
        }
        Box::pin(stream::iter(events).then(async |event| {
            yield_now().await;
            event
        }))
    }
}

struct Menu;

#[tools]
impl Step for Menu {
    /// Add
    #[tool(define)]
    fn add(&self, cx: &mut Cx<'_>, dish: String) -> ToolResponse {
        cx.warn(format!("no more {dish}"));
        stay_with("added")
    }

    /// Ask children
    #[tool(define)]
    async fn ask(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Kitchen::ID, Some("Cook.")).await?;
        let child = |key| Child::new(Kitchen::ID).key(key).message("Cook.");
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay())
    }

    /// Pay
    #[tool(define)]
    fn pay(&self) -> ToolResponse {
        go(Till::ID).saying("To the till.")
    }
}

struct Kitchen;

#[tools]
impl Step for Kitchen {
    /// Cook
    #[tool(define)]
    fn cook(&self) -> ToolResponse {
        direct_result("cooked")
    }
}

struct Till;

#[tools]
impl Step for Till {
    /// One
    #[tool(define)]
    fn one(&self) -> ToolResponse {
        stay()
    }

    /// Two
    #[tool(define)]
    fn two(&self) -> ToolResponse {
        stay()
    }

    #[tools(["one", "two"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        direct("Both.")
    }
}

/// Answers with JSON.
struct Form;

#[tools]
impl Step for Form {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(json!({ "type": "array" }))
    }
}

async fn engine(steps: Steps, model: Words) -> (Engine, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::builder().flow(TestFlow::new(steps)).model(model);
    (engine.store(Arc::clone(&store)).build().await.unwrap(), store)
}

fn menu() -> Steps {
    Steps::new().add(Menu).add(Kitchen).add(Till)
}

fn turn() -> Turn {
    Turn::new("TestFlow").token("s-1").message("Hi")
}

/// An event in one line.
fn line(event: TurnEvent) -> String {
    match event {
        TurnEvent::ModelCalled { step } => format!("model {step}"),
        TurnEvent::Text { delta, .. } => format!("text {delta}"),
        TurnEvent::Reasoning { delta, .. } => format!("reasoning {delta}"),
        TurnEvent::ToolStarted { tool, call, arguments, .. } => {
            format!("started {tool} {call} {arguments}")
        }
        TurnEvent::ToolEnded { tool, call, result, .. } => format!("ended {tool} {call}: {result}"),
        TurnEvent::ToolCalled { tool, .. } => format!("called {tool}"),
        TurnEvent::ChildStarted { step, .. } => format!("child {step}"),
        TurnEvent::Moved { from, to } => format!("moved {from} {to}"),
        TurnEvent::Said { text } => format!("said {text}"),
        TurnEvent::Warned { message } => format!("warned {message}"),
        TurnEvent::Replied { reply } => format!("replied {}", reply.text),
        other => format!("{other:?}"),
    }
}

async fn lines(engine: &Engine) -> Vec<String> {
    let events = engine.stream(turn());
    events.map(|event| event.map_or_else(|error| error.code().to_owned(), line)).collect().await
}

#[tokio::test]
async fn a_turn_tells_words_calls_results_and_moves_in_the_order_that_is_documented() {
    let model = Words::new([
        Saying::Calls(
            &["Let ", "me."],
            vec![("add", json!({ "dish": "tea" })), ("add", json!({ "dish": 1 }))],
        ),
        Saying::Calls(&[], vec![("none", json!({})), ("pay", json!({}))]),
        Saying::Calls(&[], vec![("one", json!({})), ("two", json!({}))]),
    ]);
    let (engine, _) = engine(menu(), model).await;
    let lines = lines(&engine).await;
    assert_eq!(
        lines,
        [
            "model Menu",
            "reasoning Hm.",
            "text Let ",
            "text me.",
            "started add add-0 {\"dish\":\"tea\"}",
            "warned no more tea",
            "ended add add-0: added",
            "called add",
            "started add add-1 {\"dish\":1}",
            "warned invalid arguments for tool 'add': at `/dish`: 1 is not of type \"string\"",
            "ended add add-1: Invalid arguments for tool 'add': at `/dish`: 1 is not of type \"string\". Correct them and call the tool again.",
            "called add",
            "model Menu",
            "reasoning Hm.",
            "started none none-0 {}",
            "warned hallucinated tool: none",
            "ended none none-0: Tool 'none' does not exist here. The tools here are: add, ask, pay.",
            "called none",
            "started pay pay-1 {}",
            "ended pay pay-1: input validated",
            "called pay",
            "said To the till.",
            "moved Menu Till",
            "model Till",
            "reasoning Hm.",
            "started one one-0 {}",
            "started two two-1 {}",
            "ended one one-0: input validated",
            "called one",
            "ended two two-1: input validated",
            "called two",
            "replied Both.",
        ]
        .map(|line| if cfg!(feature = "validate") { line.to_owned() } else {
            line.replace("1 is not of type \"string\"", "invalid type: integer `1`, expected a string")
        })
    );
}

/// The words of the texts that a stream tells.
async fn texts(engine: &Engine) -> Vec<String> {
    let lines = lines(engine).await;
    lines.iter().filter_map(|line| line.strip_prefix("text ")).map(str::to_owned).collect()
}

#[tokio::test]
async fn blank_text_beside_calls_is_not_streamed() {
    let pay = || vec![("pay", json!({}))];
    let done = || Saying::Text(&["Done."]);
    for (words, told) in [
        (&["\n", " ", "\n\n"][..], &[][..]),
        (&["", "\u{a0}"], &[]),
        (&["\n", " ", "Let ", "me.", "\n"], &["\n Let ", "me.", "\n"]),
        (&["Let ", "\n", "me."], &["Let ", "\n", "me."]),
    ] {
        let (engine, store) =
            engine(menu(), Words::new([Saying::Calls(words, pay()), done()])).await;
        assert_eq!(texts(&engine).await, [told, &["Done."]].concat(), "{words:?}");
        let session = store.load("s-1").await.unwrap().unwrap();
        let messages = &session.flow.memory["Menu"].messages;
        let said = messages.iter().find(|message| message.is_ai()).unwrap();
        assert_eq!(said.content, told.concat());
    }
}

#[tokio::test]
async fn white_space_before_a_text_is_told_with_it() {
    let words: &[_] = &["\n", "\n", "Do", "ne.", " \n"];
    let (engine, _) = engine(menu(), Words::new([Saying::Text(words)])).await;
    assert_eq!(texts(&engine).await, ["\n\nDo", "ne.", " \n"]);
}

#[tokio::test]
async fn what_children_and_steps_with_a_schema_say_is_not_told_word_by_word() {
    let cook = || Saying::Calls(&["Cooking."], vec![("cook", json!({}))]);
    let ask = Saying::Calls(&[], vec![("ask", json!({}))]);
    let model = Words::new([ask, cook(), cook(), cook(), Saying::Text(&["Do", "ne."])]);
    let (engine, _) = engine(menu(), model).await;
    let told = lines(&engine).await;
    let texts: Vec<_> = told.iter().filter(|line| line.starts_with("text")).collect();
    assert_eq!(texts, ["text Do", "text ne."]);
    // Calls of branches are told at once, and what is in the reply when they are joined.
    assert_eq!(told.iter().filter(|line| line.starts_with("ended cook")).count(), 3);
    assert_eq!(told.iter().filter(|line| *line == "child Kitchen").count(), 3);

    let model = Words::new([Saying::Text(&["[1", ",2]"])]);
    let (engine, _) = self::engine(Steps::new().add(Form), model).await;
    assert_eq!(lines(&engine).await, ["model Form", "replied [1,2]"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_or_is_cut_off_is_tried_again_and_its_words_begin_anew() {
    for broken in [Saying::Broken(&["Hel"]), Saying::CutOff(&["Hel"])] {
        let model = Words::new([broken, Saying::Text(&["Hel", "lo."])]);
        let (engine, store) = engine(menu(), model).await;
        let lines = lines(&engine).await;
        let warned = lines.iter().find(|line| line.starts_with("warned ")).unwrap();
        assert!(warned.starts_with("warned attempt 1 of "), "{warned}");
        let mut shown = String::new();
        for line in &lines {
            match line.split_once(' ') {
                Some(("model", _)) => shown.clear(),
                Some(("text", word)) => shown.push_str(word),
                _ => {}
            }
        }
        assert_eq!(shown, "Hello.");
        let session = store.load("s-1").await.unwrap().unwrap();
        let memory = session.flow.memory.values().next().unwrap();
        assert_eq!(memory.last().unwrap().content, "Hello.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_fails_ends_with_its_error_and_nothing_after_it() {
    let model = Words::new(vec![Saying::Broken(&["Hel"]); 3]);
    let (engine, store) = engine(menu(), model).await;
    let lines = lines(&engine).await;
    assert_eq!(lines.last().unwrap(), "MODEL_FAILED");
    assert!(store.load("s-1").await.unwrap().is_none());

    let mut events = engine.stream(Turn::new("TestFlow").session("nobody").message("Hi"));
    let first = events.next().await.unwrap();
    assert_eq!(first.unwrap_err().code(), "SESSION_UNKNOWN");
    assert!(events.next().await.is_none());
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_turn_that_was_answered_is_one_event() {
    let (engine, _) = engine(menu(), Words::new([Saying::Text(&["Hello."])])).await;
    let first = engine.run(turn()).await.unwrap();
    let events: Vec<_> = engine.stream(turn()).map(Result::unwrap).collect().await;
    let [TurnEvent::Replied { reply }] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&*reply.text, reply.replayed), (&*first.text, true));
}

/// Never answers. Its calls hold what it holds.
struct Hangs(Arc<()>);

impl ChatModel for Hangs {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let held = Arc::clone(&self.0);
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(held);
            Ok(ModelReply::default())
        })
    }
}

#[tokio::test]
async fn dropping_the_stream_at_any_event_cancels_the_turn_and_leaves_nothing() {
    let sayings = || {
        let add = vec![("add", json!({ "dish": "tea" }))];
        [Saying::Calls(&["Let ", "me."], add), Saying::Text(&["Do", "ne."])]
    };
    for taken in 0..20 {
        let (engine, store) = engine(menu(), Words::new(sayings())).await;
        let mut events = engine.stream(turn());
        let mut is_done = false;
        for _ in 0..taken {
            is_done |= matches!(events.next().await, Some(Ok(TurnEvent::Replied { .. })) | None);
        }
        drop(events);
        yield_now().await;
        assert_eq!(store.load("s-1").await.unwrap().is_some(), is_done, "after {taken} events");
        if is_done {
            return;
        }
    }
    panic!("the turn did not end");
}

#[tokio::test]
async fn dropping_the_stream_drops_the_model_call() {
    let held = Arc::new(());
    let engine = Engine::builder().flow(TestFlow::new(menu())).model(Hangs(Arc::clone(&held)));
    let engine = engine.build().await.unwrap();
    let mut events = engine.stream(turn());
    assert!(matches!(events.next().await, Some(Ok(TurnEvent::ModelCalled { .. }))));
    assert!(futures_util::poll!(events.next()).is_pending());
    assert_eq!(Arc::strong_count(&held), 3);
    drop(events);
    assert_eq!(Arc::strong_count(&held), 2);
}

/// A clock and random numbers that are the same in every run.
#[derive(Default)]
struct Same(AtomicU64);

impl Host for Same {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn random(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn session_id(&self) -> String {
        "s-1".to_owned()
    }
}

/// Runs the turn to its end and keeps all that it told.
async fn streamed(engine: &Engine, turn: Turn) -> (Vec<TurnEvent>, Result<Reply, TurnError>) {
    let mut told = Vec::new();
    let mut events = engine.stream(turn);
    loop {
        match events.next().await.expect("a reply or an error is last") {
            Ok(TurnEvent::Replied { reply }) => return (told, Ok(*reply)),
            Ok(event) => told.push(event),
            Err(error) => return (told, Err(error)),
        }
    }
}

/// Has the same conversation twice: run, and streamed.
async fn converse_both_ways(replies: Vec<ModelReply>) {
    let mut sides = Vec::new();
    for _ in 0..2 {
        let (model, store) = (Arc::new(Replies::default()), Arc::new(MemoryStore::new()));
        let engine = Engine::builder().flow(flow()).model(Arc::clone(&model));
        let engine = engine.host(Same::default()).store(Arc::clone(&store)).build().await.unwrap();
        sides.push((engine, model, store));
    }
    let mut is_there = false;
    for replies in replies.chunks(3) {
        let turn = Turn::new("TestFlow").message("Hi");
        let turn = if is_there { turn.session("s-1") } else { turn };
        for (_, model, _) in &sides {
            model.set(replies.to_vec());
        }
        let ran = sides[0].0.run(turn.clone()).await;
        let (told, streamed) = streamed(&sides[1].0, turn).await;
        match (ran, streamed) {
            (Ok(ran), Ok(streamed)) => {
                assert_eq!(streamed, ran);
                let mut kept = told;
                kept.retain(|event| {
                    !matches!(
                        event,
                        TurnEvent::Text { .. }
                            | TurnEvent::Reasoning { .. }
                            | TurnEvent::ToolStarted { .. }
                            | TurnEvent::ToolEnded { .. }
                    )
                });
                assert_eq!(kept, ran.events);
                if ran.completed {
                    return;
                }
            }
            (Err(ran), Err(streamed)) => assert_eq!(streamed.to_string(), ran.to_string()),
            other => panic!("{other:?}"),
        }
        let mut documents = Vec::new();
        for (_, _, store) in &sides {
            let session = store.load("s-1").await.unwrap();
            is_there = session.is_some();
            documents.push(serde_json::to_string(&session).unwrap());
        }
        assert_eq!(documents[0], documents[1]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_turn_leaves_the_same_bytes_whether_it_is_watched_or_not(replies in vec(reply(), 1..24)) {
        run_paused(converse_both_ways(replies));
    }
}
