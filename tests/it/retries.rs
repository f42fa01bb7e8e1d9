//! A turn that is sent again: its token, and the keys of its calls.

use crate::{
    sessions::{Notes, flow, notes},
    support::{Broken, Journal, Talk, TestFlow, definition},
};
use futures_util::future::join_all;
use picoflow::{
    Child, SqliteStore, TurnError,
    prelude::*,
    session::{MemoryStore, SessionStore},
    testing::{Rule, ScriptedModel, StepHarness},
};
use std::sync::Arc;
use tempfile::TempDir;

const FIRST: &str = "3d1f0b46-2c8e-4a53-9d1c-6a0e1f2b3c4d";

fn first() -> Turn {
    Turn::new(TestFlow::ID).message("Hi").token(FIRST)
}

#[tokio::test]
async fn a_turn_with_a_token_runs_once_and_is_answered_as_often_as_it_is_sent() {
    let model = notes();
    let mut talk = Talk::of(flow(), model.clone()).await;
    let reply = talk.run(first()).await.unwrap();
    assert_eq!((&*reply.session, reply.replayed), (FIRST, false));
    let (calls, stored) = (model.calls(), talk.stored().await);

    let again = talk.engine.run(first()).await.unwrap();
    assert_eq!((&again.session, &again.text, again.replayed), (&reply.session, &reply.text, true));
    assert_eq!((again.step, again.completed), (reply.step, reply.completed));
    assert_eq!(again.content_type, reply.content_type);

    let next = talk.turn("More").token("2");
    let reply = talk.run(next.clone()).await.unwrap();
    let again = talk.engine.run(next).await.unwrap();
    assert_eq!((again.text, again.replayed), (reply.text, true));

    assert_eq!(model.calls(), 2 * calls);
    assert_eq!(talk.session().await.revision, stored[0].revision + 1);
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi", "More"] }));
}

#[tokio::test]
async fn a_turn_without_its_token_runs_again() {
    let mut talk = Talk::of(flow(), notes()).await;
    talk.run(first()).await.unwrap();
    talk.say("Hi").await;
    talk.say("Hi").await;
    assert_eq!(talk.session().await.turns, 3);
    assert_eq!(talk.session().await.last_turn, None);
}

#[tokio::test]
async fn a_first_turn_that_comes_again_after_others_is_refused() {
    let mut talk = Talk::of(flow(), notes()).await;
    talk.run(first()).await.unwrap();
    talk.say("More").await;
    let before = talk.stored().await;
    let error = talk.engine.run(first()).await.unwrap_err();
    assert!(matches!(&error, TurnError::UsedToken { session } if session == FIRST), "{error}");
    assert_eq!(error.code(), "TURN_TOKEN_USED");
    assert_eq!(talk.stored().await, before);
}

#[tokio::test]
async fn the_last_turn_of_a_conversation_is_answered_again_though_it_has_ended() {
    struct Bye;

    #[tools]
    impl Step for Bye {
        /// End
        #[tool(define)]
        fn end(&self) -> ToolResponse {
            finish("Bye.")
        }
    }

    let model = ScriptedModel::new().on_call(Rule::new(), [("end", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Bye), model).await;
    let reply = talk.run(first()).await.unwrap();
    assert!(reply.completed);
    let again = talk.engine.run(first()).await.unwrap();
    assert_eq!((&*again.text, again.completed, again.replayed), ("Bye.", true, true));
}

#[tokio::test]
async fn a_turn_that_failed_runs_again_under_its_token() {
    let store = Broken::new(Arc::new(MemoryStore::new()));
    let mut talk = Talk::on(flow(), notes(), Arc::new(store.clone())).await;
    store.fail(Some("create"));
    assert_eq!(talk.engine.run(first()).await.unwrap_err().code(), "SESSION_STORE_ERROR");
    store.fail(None);
    let reply = talk.run(first()).await.unwrap();
    assert_eq!((&*reply.session, reply.replayed), (FIRST, false));
    store.fail(Some("save"));
    let next = talk.turn("More").token("2");
    assert_eq!(talk.engine.run(next.clone()).await.unwrap_err().code(), "SESSION_STORE_ERROR");
    store.fail(None);
    assert!(!talk.run(next).await.unwrap().replayed);
    assert_eq!(talk.state("Notes").await, json!({ "notes": ["Hi", "More"] }));
}

/// Two engines that share a store are two processes to each other.
#[tokio::test]
async fn of_the_same_turn_in_several_processes_one_is_stored_and_all_are_answered() {
    let directory = TempDir::new().unwrap();
    let sqlite = SqliteStore::open(directory.path().join("s.sqlite")).await.unwrap();
    let stores: [Arc<dyn SessionStore>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite)];
    for store in stores {
        let mut talks = Vec::new();
        for _ in 0..8 {
            talks.push(Talk::on(flow(), notes(), Arc::clone(&store)).await);
        }
        let turns = [first(), Turn::new(TestFlow::ID).session(FIRST).message("More").token("2")];
        for turn in turns {
            let running = talks.iter().map(|talk| talk.engine.run(turn.clone()));
            let replies = join_all(running).await;
            let replies: Vec<_> = replies.into_iter().map(Result::unwrap).collect();
            assert_eq!(replies.iter().filter(|reply| !reply.replayed).count(), 1);
            assert!(replies.iter().all(|reply| reply.text == "Noted." && reply.session == FIRST));
        }
        let stored = store.load(FIRST).await.unwrap().unwrap();
        assert_eq!(stored.turns, 2);
        assert_eq!(stored.state("Notes").unwrap(), &json!({ "notes": ["Hi", "More"] }));
    }
}

#[tokio::test]
async fn a_token_that_is_no_name_is_refused_before_anything_runs() {
    let model = notes();
    let talk = Talk::of(flow(), model.clone()).await;
    for token in ["", " ", "a b", "é", "a\n", &"x".repeat(129)] {
        let error = talk.engine.run(talk.turn("Hi").token(token)).await.unwrap_err();
        assert!(matches!(&error, TurnError::InvalidToken { token: told } if told == token));
        assert_eq!(error.code(), "TURN_TOKEN_INVALID");
    }
    assert_eq!(model.calls(), 0);
    assert!(talk.engine.run(talk.turn("Hi").token("x".repeat(128))).await.is_ok());
}

/// Keeps the keys that its calls are given.
struct Pay {
    keys: Journal,
}

#[tools]
impl Step for Pay {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Pay.".into()
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let keys = self.keys.clone();
        vec![NativeTool::new(definition("native"), move |_, cx| {
            keys.add(cx.idempotency_key().unwrap());
            async { "ok" }
        })]
    }

    async fn on_restore(&self, cx: &mut Cx<'_>) -> HookResult {
        self.keys.add(cx.idempotency_key());
        Ok(())
    }

    /// Pay
    #[tool(define)]
    async fn pay(&self, cx: &mut Cx<'_>) -> ToolResponse {
        self.keys.add(cx.idempotency_key());
        // What runs inside has a name of its own, and leaves this one as it was.
        let children = ["a", "b"].map(|key| Child::new("Inner").key(key).message("log"));
        cx.run_steps(children).await.unwrap();
        cx.run_step("Inner", Some("log")).await.unwrap();
        self.keys.add(cx.idempotency_key());
        stay()
    }

    #[tools(["pay", "refund"])]
    fn both(&self, cx: &mut Cx<'_>, _calls: &[ToolCall]) -> ToolResponse {
        self.keys.add(cx.idempotency_key());
        stay()
    }

    /// Refund
    #[tool(define)]
    fn refund(&self) -> ToolResponse {
        stay()
    }

    /// Fail
    #[tool(define)]
    fn fail(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::abort("no"))
    }
}

struct Inner {
    keys: Journal,
}

#[tools]
impl Step for Inner {
    /// Log
    #[tool(define)]
    fn log(&self, cx: &mut Cx<'_>) -> ToolResponse {
        self.keys.add(cx.idempotency_key());
        direct_result("logged")
    }
}

#[tokio::test]
async fn a_call_has_the_same_key_in_every_attempt_at_its_turn_and_another_one_in_each_turn() {
    let keys = Journal::default();
    let steps = Steps::new().add(Pay { keys: keys.clone() }).add(Inner { keys: keys.clone() });
    let none = || json!({});
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new().latest("log"), [("log", none())])
        .on_call(Rule::new().latest("one"), [("pay", none()), ("native", none())])
        .on_call(Rule::new().latest("two"), [("refund", none()), ("pay", none())])
        .on_call(Rule::new().latest("bad"), [("pay", none()), ("pay", none()), ("fail", none())])
        .on(Rule::new(), "done");
    let mut talk = Talk::new(steps, model).await;
    talk.run(first()).await.unwrap();
    assert_eq!(keys.take(), [""; 0]);

    let key = |turn: u32, call: &str| format!("{FIRST}/{turn}/{call}");
    let inside = |turn: u32, number: u32| {
        let branch = |name: &str| key(turn, &format!("{number}:Inner:{name}/log/1"));
        let inner = [branch("a"), branch("b"), key(turn, &format!("log/{number}"))];
        let pay = key(turn, &format!("pay/{number}"));
        [vec![pay.clone()], inner.to_vec(), vec![pay]].concat()
    };
    // The turn fails in the end, and is tried again.
    for _ in 0..2 {
        talk.fail("bad").await;
        let expected = [vec![key(2, "Pay")], inside(2, 1), inside(2, 2)].concat();
        assert_eq!(keys.take(), expected);
    }
    talk.say("one").await;
    let expected = [vec![key(2, "Pay")], inside(2, 1), vec![key(2, "native/1")]].concat();
    assert_eq!(keys.take(), expected);
    talk.say("two").await;
    assert_eq!(keys.take(), [key(3, "Pay"), key(3, "refund+pay/1")]);
}

#[tokio::test]
async fn outside_a_handler_a_key_names_the_step() {
    let engine = Talk::of(flow(), notes()).await.engine;
    let mut step = StepHarness::new(&engine, TestFlow::ID, Notes::ID).unwrap();
    let session = step.cx().session_id().to_owned();
    assert_eq!(step.cx().idempotency_key(), format!("{session}/1/Notes"));
}
