//! Model calls that were recorded and are replayed.

use crate::support::TestFlow;
use futures_util::StreamExt;
use picoflow::{
    TurnEvent,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{NotRecorded, Recorder, Replay, Rule, ScriptedModel},
};
use picoflow_tests::story;
use std::{fs, path::Path, sync::Arc};
use tempfile::TempDir;

struct Order {
    prompt: &'static str,
}

#[tools]
impl Step for Order {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        self.prompt.into()
    }

    /// Add a dish
    #[tool(define)]
    fn add(&self, dish: String) -> ToolResponse {
        stay_with(format!("{dish} is on the list"))
    }
}

const PROMPT: &str = "Take orders.\nBe brief.\nUse `add`.";

fn scripted() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().latest("Tea"), [("add", json!({ "dish": "tea sk-planted-4711" }))])
        .on(Rule::new().latest("list"), "Tea it is.")
}

async fn engine(prompt: &'static str, model: impl ChatModel) -> (Engine, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new());
    let flow = TestFlow::new(Steps::new().add(Order { prompt }));
    let engine = Engine::builder().flow(flow).model(model).store(Arc::clone(&store));
    (engine.build().await.unwrap(), store)
}

fn turn() -> Turn {
    Turn::new("TestFlow").token("s-1").message("Tea, please.")
}

async fn record(file: &Path) -> Session {
    let recorder = Recorder::create(file, scripted()).unwrap();
    let (engine, store) = engine(PROMPT, recorder).await;
    engine.run(turn()).await.unwrap();
    store.load("s-1").await.unwrap().unwrap()
}

#[tokio::test]
async fn a_recorded_run_is_replayed_to_the_same_session_without_the_model() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    let recorded = record(&file).await;
    let replay = Arc::new(Replay::open(&file).unwrap());
    assert_eq!(replay.rest().len(), 2);
    let (engine, store) = engine(PROMPT, Arc::clone(&replay)).await;
    let reply = engine.run(turn()).await.unwrap();
    assert_eq!(reply.text, "Tea it is.");
    assert!(replay.rest().is_empty());
    let replayed = store.load("s-1").await.unwrap().unwrap();
    assert_eq!(story::essence(&replayed).unwrap(), story::essence(&recorded).unwrap());
    // One more is too many.
    let next = Turn::new("TestFlow").session("s-1").message("And?");
    let error = engine.run(next).await.unwrap_err().to_string();
    assert!(
        error.contains("all recorded calls have been made, and step `Order` makes one more"),
        "{error}"
    );
}

#[tokio::test]
async fn a_stream_is_recorded_and_replayed_bit_by_bit() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    let told = async |model: Box<dyn Fn() -> Arc<dyn ChatModel>>| {
        let (engine, _) = engine(PROMPT, model()).await;
        engine.stream(turn()).map(Result::unwrap).collect::<Vec<_>>().await
    };
    let path = file.clone();
    let recorded =
        told(Box::new(move || Arc::new(Recorder::create(&path, scripted()).unwrap()))).await;
    let path = file.clone();
    let replayed = told(Box::new(move || Arc::new(Replay::open(&path).unwrap()))).await;
    assert_eq!(replayed, recorded);
    assert!(replayed.iter().any(|event| matches!(event, TurnEvent::Text { .. })));
}

#[tokio::test]
async fn a_changed_prompt_shows_as_a_diff_of_its_lines() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    record(&file).await;
    let (engine, _) =
        engine("Take orders.\nBe polite.\nUse `add`.", Replay::open(&file).unwrap()).await;
    let error = engine.run(turn()).await.unwrap_err();
    assert_eq!(error.code(), "MODEL_FAILED");
    let text = error.to_string();
    assert!(
        text.contains("step `Order` was not recorded: record anew if the change is meant"),
        "{text}"
    );
    assert!(text.contains("\n-    Be brief.\n+    Be polite.\n"), "{text}");
    assert!(!text.contains("dish"), "only what differs: {text}");
}

#[tokio::test]
async fn a_changed_tool_shows_in_the_diff() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    record(&file).await;
    let changed = fs::read_to_string(&file).unwrap().replace("Add a dish", "Add a drink");
    let (engine, _) = engine(PROMPT, changed.parse::<Replay>().unwrap()).await;
    let text = engine.run(turn()).await.unwrap_err().to_string();
    assert!(text.contains("-      \"description\": \"Add a drink\","), "{text}");
    assert!(text.contains("+      \"description\": \"Add a dish\","), "{text}");
}

#[tokio::test]
async fn equal_requests_are_answered_in_the_order_of_the_recording() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    let request = || ChatRequest::new(ModelRef::new("none", "none"));
    {
        let model = ScriptedModel::new().on(Rule::new(), "one");
        let recorder = Recorder::create(&file, model).unwrap();
        recorder.generate(request()).await.unwrap();
    }
    let line = fs::read_to_string(&file).unwrap();
    let both = format!("{line}\n{}", line.replace("\"one\"", "\"two\""));
    let replay: Replay = both.parse().unwrap();
    assert_eq!(replay.generate(request()).await.unwrap().text, "one");
    assert_eq!(replay.generate(request()).await.unwrap().text, "two");
    let ModelError::Permanent(error) = replay.generate(request()).await.unwrap_err() else {
        panic!("a call that was not recorded");
    };
    assert!(error.downcast_ref::<NotRecorded>().unwrap().diff.is_none());
}

#[tokio::test]
async fn secrets_are_not_in_the_file_and_its_replay_works_without_them() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    let recorder =
        Recorder::create(&file, scripted()).unwrap().without("sk-planted-4711").without("tea");
    assert!(!format!("{recorder:?}").contains("planted"));
    let (engine, _) = engine(PROMPT, recorder).await;
    engine.run(turn()).await.unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("planted"));
    assert!(text.contains("tea [removed]"), "what is short is left: {text}");
    // What the model is told of its own call is what it said in the recording.
    let (engine, _) = self::engine(PROMPT, Replay::open(&file).unwrap()).await;
    assert_eq!(engine.run(turn()).await.unwrap().text, "Tea it is.");
}

#[tokio::test]
async fn errors_are_recorded_too() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("run.jsonl");
    let request = || ChatRequest::new(ModelRef::new("none", "none"));
    let model = ScriptedModel::new();
    let first = Recorder::create(&file, model).unwrap().generate(request()).await.unwrap_err();
    let replayed = Replay::open(&file).unwrap().generate(request()).await.unwrap_err();
    assert_eq!(replayed.to_string(), first.to_string());
    assert_eq!(replayed.is_transient(), first.is_transient());
}

#[test]
fn a_line_that_is_no_call_is_named() {
    let error = "\n{\"asked\":1}\n".parse::<Replay>().unwrap_err().to_string();
    assert!(error.starts_with("line 2 is no recorded call: "), "{error}");
}

#[tokio::test]
async fn a_key_that_recordings_do_not_have_is_named() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("calls.jsonl");
    record(&file).await;
    let lines = fs::read_to_string(&file).unwrap();
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(line.to_string().parse::<Replay>().is_ok());
    for (place, key) in [
        ("", "ask"),
        ("/asked", "steps"),
        ("/asked/messages/0", "texts"),
        ("/asked/tools/0", "descriptoin"),
        ("/result/Ok", "txt"),
    ] {
        let mut line = line.clone();
        line.pointer_mut(place).unwrap()[key] = json!("x");
        let error = line.to_string().parse::<Replay>().unwrap_err().to_string();
        assert!(error.contains(&format!("unknown field `{key}`")), "{error}");
    }
    let turn = r#"{"turn":{"flow":"F","mesage":"Hi"}}"#;
    let error = turn.parse::<Replay>().unwrap_err().to_string();
    assert!(error.contains("unknown field `mesage`"), "{error}");
}
