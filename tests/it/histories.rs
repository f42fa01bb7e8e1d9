//! Whatever a model invents, later requests hold names and ids that every provider takes.

mod as_text;
mod stored;

use crate::support::{Talk, TestFlow, answers, lines, warnings};
use picoflow::{
    EngineBuilder, Host,
    prelude::*,
    session::{MemoryStore, Message, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::{collections::HashSet, sync::Arc};

/// Says these replies one after the other, then a text for ever.
fn replies(replies: impl IntoIterator<Item = Vec<ToolCall>>) -> ScriptedModel {
    let says = |model: ScriptedModel, calls: Vec<ToolCall>| {
        let reply = move |_: &_| Ok(ModelReply::calls(calls.clone()));
        model.answer(Rule::new().times(1), reply)
    };
    replies.into_iter().fold(ScriptedModel::new(), says).on(Rule::new(), "Done.")
}

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, &json!({}))
}

struct Desk;

#[tools]
impl Step for Desk {
    /// Look up
    #[tool(define)]
    fn look_up(&self) -> ToolResponse {
        stay_with("Found.")
    }

    /// Answer
    #[tool(define)]
    fn answer(&self) -> ToolResponse {
        direct("Here you are.")
    }

    /// Go on
    #[tool(define)]
    fn go_on(&self) -> ToolResponse {
        go(Till::ID)
    }

    /// Ask a child
    #[tool(define)]
    async fn ask(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Helper::ID, Some("Help.")).await?;
        Ok(stay_with("Asked."))
    }

    /// Ask two children
    #[tool(define)]
    async fn ask_two(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let child = |key| Child::new(Helper::ID).key(key).message("Help.");
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay_with("Asked both."))
    }
}

struct Till;

#[tools]
impl Step for Till {
    /// Pay
    #[tool(define)]
    fn pay_now(&self) -> ToolResponse {
        stay_with("Paid.")
    }
}

struct Helper;

#[tools]
impl Step for Helper {
    /// Help
    #[tool(define)]
    fn help(&self) -> ToolResponse {
        direct_result("helped")
    }
}

fn steps() -> Steps {
    Steps::new().add(Desk.memory("one")).add(Till.memory("one")).add(Helper.memory("one"))
}

/// The calls of a history as `id name`.
fn called(messages: &[Arc<Message>]) -> Vec<(String, String)> {
    let calls = messages.iter().flat_map(|message| message.tool_calls());
    calls.map(|call| (call.id().to_owned(), call.name().to_owned())).collect()
}

fn ids(messages: &[Arc<Message>]) -> HashSet<String> {
    called(messages).into_iter().map(|(id, _)| id).collect()
}

#[tokio::test]
async fn an_invented_name_is_sent_as_one_that_all_take() {
    let long = "x".repeat(100);
    for (word, sent) in [
        ("functions.look up", "functions_look_up"),
        ("multi_tool_use.parallel", "multi_tool_use_parallel"),
        ("größe", "gr__e"),
        ("", "unknown_tool"),
        ("検索", "unknown_tool"),
        (&long, &long[..64]),
    ] {
        let mut talk = Talk::new(steps(), replies([vec![call("1", word)]])).await;
        let reply = talk.say("Hi").await;
        assert_eq!(warnings(&reply), [format!("hallucinated tool: {word}")]);
        assert_eq!(called(&talk.last_request().messages), [("1".to_owned(), sent.to_owned())]);
        let told = answers(&talk.last_request());
        assert!(told[0].starts_with(&format!("Tool '{word}' does not exist here.")), "{told:?}");
        assert!(told[0].contains("look_up, answer, go_on, ask, ask_two"), "{told:?}");
        assert_eq!(talk.say("And?").await.text, "Done.");
    }
}

#[tokio::test]
async fn an_invented_name_beside_the_last_call_is_stored_as_sent() {
    let calls = vec![call("1", "functions.look up"), call("2", "answer")];
    let mut talk = Talk::new(steps(), replies([calls])).await;
    let reply = talk.say("Hi").await;
    assert_eq!(reply.text, "Here you are.");
    assert_eq!(reply.tools().collect::<Vec<_>>(), ["functions_look_up", "answer"]);
    let stored = talk.session().await.flow.memory["one"].messages.clone();
    assert_eq!(called(&stored)[0].1, "functions_look_up");
    talk.say("And?").await;
}

#[tokio::test]
async fn an_invented_name_never_becomes_a_tool() {
    // The last two are tools of another step, and of nobody but children.
    for word in ["look up", "look.up", "answer\n", "pay now", "help\0"] {
        let mut talk = Talk::new(steps(), replies([vec![call("1", word)]])).await;
        let reply = talk.say("Hi").await;
        assert_eq!(warnings(&reply), [format!("hallucinated tool: {word}")]);
        let sent = called(&talk.last_request().messages);
        for tool in ["look_up", "answer", "pay_now", "help"] {
            assert_ne!(sent[0].1, tool);
        }
        assert!(answers(&talk.last_request())[0].starts_with("Tool '"));
    }
}

#[tokio::test]
async fn a_huge_name_is_shortened_in_the_warning() {
    let word = "ö".repeat(100_000);
    let mut talk = Talk::new(steps(), replies([vec![call("1", &word)]])).await;
    let reply = talk.say("Hi").await;
    assert_eq!(warnings(&reply), [format!("hallucinated tool: {}…", "ö".repeat(200))]);
    assert!(answers(&talk.last_request())[0].len() < 1000);
}

#[tokio::test]
async fn an_id_that_comes_again_is_replaced() {
    let again = || vec![call("call_0", "look_up")];
    let mut talk = Talk::new(steps(), replies([again(), again(), again()])).await;
    talk.say("Hi").await;
    talk.say("And?").await;
    let sent = talk.last_request();
    assert_eq!(called(&sent.messages)[0].0, "call_0");
    assert_eq!(ids(&sent.messages).len(), 3);
}

#[tokio::test]
async fn ids_are_unique_across_steps_with_one_memory() {
    let replies = replies([vec![call("call_0", "go_on")], vec![call("call_0", "pay_now")]]);
    let mut talk = Talk::new(steps(), replies).await;
    talk.say("Hi").await;
    let sent = talk.last_request();
    assert_eq!(sent.step, "Till");
    assert_eq!(ids(&sent.messages).len(), 2);
}

/// The reply of the step that starts a child is stored behind what its child said.
#[tokio::test]
async fn ids_are_unique_between_a_child_and_its_parent() {
    // What children of a batch say is gone with the batch.
    for (asking, children, count) in [("ask", 1, 3), ("ask_two", 2, 2)] {
        let own = [vec![call("call_0", "look_up")], vec![call("call_1", asking)]];
        let helped = vec![vec![call("call_1", "help")]; children];
        let replies = replies(own.into_iter().chain(helped));
        let mut talk = Talk::new(steps(), replies).await;
        talk.say("Hi").await;
        talk.say("And?").await;
        let sent = called(&talk.last_request().messages);
        assert_eq!(ids(&talk.last_request().messages).len(), sent.len());
        assert_eq!(sent.len(), count, "{sent:?}");
    }
}

#[tokio::test]
async fn an_empty_id_is_replaced() {
    let mut talk =
        Talk::new(steps(), replies([vec![call("", "look_up"), call("", "look_up")]])).await;
    talk.say("Hi").await;
    let sent = ids(&talk.last_request().messages);
    assert_eq!(sent.len(), 2);
    assert!(!sent.contains(""), "{sent:?}");
}

/// Draws one number for ever.
struct OneNumber;

impl Host for OneNumber {
    fn random(&self) -> u64 {
        7
    }
}

#[tokio::test]
async fn ids_are_unique_on_a_host_without_chance() {
    let again = || vec![call("call_0", "look_up"), call("", "ask_two")];
    let help = || vec![call("call_0", "help")];
    let turn = || [again(), help(), help(), vec![]];
    let script = turn().into_iter().chain(turn()).chain(turn());
    let says = |model: ScriptedModel, calls: Vec<ToolCall>| {
        let reply = move |_: &_| match &*calls {
            [] => Ok(ModelReply::text("Done.")),
            calls => Ok(ModelReply::calls(calls.to_vec())),
        };
        model.answer(Rule::new().times(1), reply)
    };
    let model = script.fold(ScriptedModel::new(), says);
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let flow = TestFlow::new(steps());
    let host = |engine: EngineBuilder| engine.host(OneNumber);
    let mut talk = Talk::open(flow, model, Arc::clone(&store), store, host).await;
    for _ in 0..3 {
        talk.say("Hi").await;
    }
    assert_eq!(ids(&talk.last_request().messages).len(), 6);
}

#[tokio::test]
async fn blank_text_beside_a_call_is_dropped() {
    for (text, kept) in
        [("\n\n ", "ai: [look_up]"), ("\u{a0}", "ai: [look_up]"), (" x ", "ai:  x [look_up]")]
    {
        let reply = move |_: &_| {
            let mut reply = ModelReply::calls([call("1", "look_up")]);
            text.clone_into(&mut reply.text);
            Ok(reply)
        };
        let model =
            ScriptedModel::new().answer(Rule::new().times(1), reply).on(Rule::new(), "Done.");
        let mut talk = Talk::new(steps(), model).await;
        talk.say("Hi").await;
        assert_eq!(lines(&talk.last_request().messages)[1], kept);
        assert_eq!(talk.memory("one").await[1], kept);
    }
}
