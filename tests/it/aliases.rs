//! Steps that had other names when their sessions were stored.

use crate::{
    build_report::faults,
    support::{Talk, TestFlow},
};
use picoflow::{
    flow::BuildFault,
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::sync::Arc;

struct OldName;

#[tools]
impl Step for OldName {
    /// Keep it
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "kept": true }));
        stay()
    }

    /// Go on
    #[tool(define)]
    fn on(&self) -> ToolResponse {
        go(Other::ID)
    }
}

struct NewName;

#[tools]
impl Step for NewName {
    /// Look at it
    #[tool(define)]
    fn look(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let same = cx.state() == cx.step_state("OldName");
        direct(format!("{} {same}", cx.state()))
    }
}

struct Other;

#[tools]
impl Step for Other {
    /// Look at the first step
    #[tool(define)]
    fn peek(&self, cx: &mut Cx<'_>) -> ToolResponse {
        direct(cx.step_state("OldName").to_string())
    }

    /// Go back
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        let former = "OldName".to_owned();
        go(former)
    }
}

fn model() -> ScriptedModel {
    let mut model = ScriptedModel::new();
    for tool in ["keep", "look", "peek", "back"] {
        model = model.on_call(Rule::new().latest(tool), [(tool, json!({}))]);
    }
    model.on_call(Rule::new().latest("go on"), [("on", json!({}))]).on(Rule::new(), "Yes.")
}

/// A session that was stored under the old names, after these turns.
async fn stored(steps: Steps, turns: &[&str]) -> (Arc<dyn SessionStore>, Session) {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut talk = Talk::on(TestFlow::new(steps), model(), Arc::clone(&store)).await;
    for text in turns {
        talk.say(text).await;
    }
    let session = talk.session().await;
    (store, session)
}

/// A turn of today's flow on the session.
async fn run(
    steps: Steps,
    store: &Arc<dyn SessionStore>,
    id: &str,
    text: &str,
) -> (String, Session) {
    let mut talk = Talk::on(TestFlow::new(steps), model(), Arc::clone(store)).await;
    let turn = talk.opening().session(id).message(text);
    let reply = talk.run(turn).await.unwrap();
    (reply.text, talk.session().await)
}

fn old() -> Steps {
    Steps::new().add(OldName).add(Other)
}

fn new() -> Steps {
    Steps::new().add(NewName.alias("Older").alias("OldName")).add(Other)
}

#[tokio::test]
async fn a_session_at_a_renamed_step_goes_on_with_its_state_and_history() {
    let (store, session) = stored(old(), &["keep"]).await;
    let (text, after) = run(new(), &store, &session.id, "look").await;
    assert_eq!(text, r#"{"kept":true} true"#);
    assert_eq!(after.flow.current_step, "NewName");
    assert_eq!(after.state("NewName"), Some(&json!({ "kept": true })));
    assert_eq!(after.state("OldName"), None);
    assert!(after.flow.sequence.iter().all(|entry| entry.step_name == "NewName"));
    let memory: Vec<_> = after.flow.memory.keys().map(|name| &**name).collect();
    assert_eq!(memory, ["NewName"]);
    let before = &session.flow.memory["OldName"].messages;
    assert_eq!(after.flow.memory["NewName"].messages[..before.len()], before[..]);
}

#[tokio::test]
async fn other_steps_reach_a_renamed_step_by_either_name() {
    let (store, session) = stored(old(), &["keep", "go on"]).await;
    let (text, after) = run(new(), &store, &session.id, "peek").await;
    assert_eq!(text, r#"{"kept":true}"#);
    assert_eq!(after.flow.current_step, "Other");
    let (_, after) = run(new(), &store, &session.id, "back").await;
    assert_eq!(after.flow.current_step, "NewName");
}

#[tokio::test]
async fn without_an_alias_the_error_says_how_to_give_one() {
    let (store, session) = stored(old(), &["keep"]).await;
    let steps = Steps::new().add(NewName).add(Other);
    let mut talk = Talk::on(TestFlow::new(steps), model(), Arc::clone(&store)).await;
    let turn = talk.opening().session(&session.id).message("look");
    let error = talk.run(turn).await.unwrap_err();
    assert_eq!(error.code(), "SESSION_FLOW_INVARIANT");
    assert!(error.to_string().contains(r#"`.alias("OldName")`"#), "{error}");
}

#[tokio::test]
async fn a_namespace_that_has_a_name_of_its_own_or_another_owner_stays() {
    // The step had a namespace by name, and has it still.
    let steps = Steps::new().add(OldName.memory("shared")).add(Other);
    let (store, session) = stored(steps, &["keep"]).await;
    let steps = Steps::new().add(NewName.memory("shared").alias("OldName")).add(Other);
    let (_, after) = run(steps, &store, &session.id, "look").await;
    assert_eq!(after.flow.memory.len(), 1);
    assert!(after.flow.memory.contains_key("shared"));

    // Another step uses the old name as its namespace.
    let steps = || Steps::new().add(OldName).add(Other.memory("OldName"));
    let (store, session) = stored(steps(), &["keep"]).await;
    let steps = Steps::new().add(NewName.alias("OldName")).add(Other.memory("OldName"));
    let (_, after) = run(steps, &store, &session.id, "look").await;
    assert_eq!(after.flow.memory["OldName"], session.flow.memory["OldName"]);
}

#[tokio::test]
async fn what_a_step_has_under_its_present_name_is_not_replaced() {
    let (store, mut session) = stored(old(), &["keep"]).await;
    let mut document = serde_json::to_value(&session).unwrap();
    document["flow"]["steps"] = json!([
        { "name": "OldName", "state": { "from": "old" } },
        { "name": "NewName", "state": { "from": "new" } },
    ]);
    document["flow"]["memory"]["NewName"] = json!({ "messages": [] });
    session = serde_json::from_value(document).unwrap();
    store.save(&session, session.revision).await.unwrap();
    let (text, after) = run(new(), &store, &session.id, "look").await;
    assert_eq!(text, r#"{"from":"new"} true"#);
    // The rest is kept as it was, and in nobody's way.
    assert_eq!(after.state("OldName"), Some(&json!({ "from": "old" })));
    assert_eq!(after.flow.memory["OldName"], session.flow.memory["OldName"]);
}

#[tokio::test]
async fn of_several_former_names_the_first_one_stored_is_taken_and_nothing_is_lost() {
    let (store, session) = stored(old(), &["keep"]).await;
    let mut document = serde_json::to_value(&session).unwrap();
    document["flow"]["steps"] = json!([
        { "name": "OldName", "state": { "from": "old" } },
        { "name": "Older", "state": { "from": "older" } },
    ]);
    document["flow"]["memory"]["Older"] = json!({ "messages": [] });
    let session: Session = serde_json::from_value(document).unwrap();
    store.save(&session, session.revision).await.unwrap();
    let (text, after) = run(new(), &store, &session.id, "look").await;
    assert_eq!(text, r#"{"from":"old"} true"#);
    assert_eq!(after.state("Older"), Some(&json!({ "from": "older" })));
    let memory: Vec<_> = after.flow.memory.keys().map(|name| &**name).collect();
    assert_eq!(memory, ["NewName", "Older"]);
    assert!(after.flow.memory["NewName"].messages.len() > 2);
}

#[tokio::test]
async fn a_failed_turn_leaves_the_old_names() {
    let (store, session) = stored(old(), &["keep"]).await;
    let steps = TestFlow::new(new());
    let silent = ScriptedModel::new();
    let mut talk = Talk::on(steps, silent, Arc::clone(&store)).await;
    let turn = talk.opening().session(&session.id).message("look");
    talk.run(turn).await.unwrap_err();
    assert_eq!(store.load(&session.id).await.unwrap().unwrap().flow, session.flow);
}

#[tokio::test]
async fn a_replayed_answer_names_the_step_as_it_is_called_now() {
    let (store, session) = stored(old(), &["keep"]).await;
    let turn = |talk: &Talk| talk.opening().session(&session.id).message("Hi").token("t-1");
    let mut before = Talk::on(TestFlow::new(old()), model(), Arc::clone(&store)).await;
    let first = turn(&before);
    assert_eq!(before.run(first).await.unwrap().step, "OldName");
    let engine = Engine::builder().flow(TestFlow::new(new())).model(model()).store(store);
    let engine = engine.build().await.unwrap();
    let again = engine.run(turn(&before)).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.step, "NewName");
}

fn clash(step: &'static str, alias: &'static str, other: Option<&'static str>) -> BuildFault {
    BuildFault::Alias {
        flow: TestFlow::ID,
        step: step.into(),
        alias: alias.into(),
        other: other.map(StepId::from),
    }
}

#[tokio::test]
async fn an_alias_that_is_another_name_too_is_a_fault() {
    for (steps, fault) in [
        (
            Steps::new().add(NewName.alias("Other")).add(Other),
            clash("NewName", "Other", Some("Other")),
        ),
        (
            Steps::new().add(NewName.alias("X")).add(Other.alias("X")),
            clash("Other", "X", Some("NewName")),
        ),
        (Steps::new().add(NewName.alias("NewName")), clash("NewName", "NewName", Some("NewName"))),
        (Steps::new().add(NewName.alias("X").alias("X")), clash("NewName", "X", Some("NewName"))),
        (Steps::new().add(NewName.alias(" ")), clash("NewName", " ", None)),
    ] {
        let found = faults(TestFlow::new(steps)).await;
        assert_eq!(found, [fault]);
        assert!(found[0].to_string().contains("the alias"), "{}", found[0]);
    }
}

#[tokio::test]
async fn code_that_names_a_former_step_is_no_warning() {
    struct Caller;

    #[tools]
    impl Step for Caller {
        /// Go there
        #[tool(define)]
        fn there(&self) -> ToolResponse {
            go("OldName")
        }
    }

    let steps = Steps::new().add(Caller).add(NewName.alias("OldName"));
    let engine = Engine::builder().flow(TestFlow::new(steps)).model(model()).strict();
    let engine = engine.build().await.unwrap();
    let flow = engine.flow("TestFlow").unwrap();
    assert_eq!(flow.step("OldName").unwrap().id(), "NewName");
    assert_eq!(flow.steps().len(), 2);
}
