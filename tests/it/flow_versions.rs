//! Sessions that were stored by another version of their flow.

use crate::support::{Journal, Talk, Watched};
use picoflow::{
    BoxError, Reply, TurnError,
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::sync::{Arc, Mutex};

struct Cart;

#[tools]
impl Step for Cart {
    /// Look into it
    #[tool(define)]
    fn look(&self, cx: &mut Cx<'_>) -> ToolResponse {
        direct(cx.state().to_string())
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .answer(Rule::new().latest("fail"), |_| {
            Err(picoflow::model::ModelError::permanent("out of order"))
        })
        .on_call(Rule::new().latest("look"), [("look", json!({}))])
        .on(Rule::new(), "Yes.")
}

/// The flow as it was before it had versions.
struct First;

impl Flow for First {
    const ID: FlowId = FlowId::new("CartFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Cart)
    }
}

type Migration = dyn Fn(Value, u32) -> Result<Value, BoxError> + Send + Sync;

/// A later version, which keeps what it was given and what it made of it.
#[derive(Clone)]
struct Later {
    migrate: Arc<Migration>,
    seen: Arc<Mutex<Vec<(u32, Value, Value)>>>,
}

impl Later {
    fn new(
        migrate: impl Fn(Value, u32) -> Result<Value, BoxError> + Send + Sync + 'static,
    ) -> Self {
        Self { migrate: Arc::new(migrate), seen: Arc::default() }
    }

    /// One item became a list of them.
    fn good() -> Self {
        Self::new(|mut document, from| {
            for step in document["flow"]["steps"].as_array_mut().into_iter().flatten() {
                if from < 2 && step["state"]["item"].is_string() {
                    let item = step["state"]["item"].take();
                    step["state"] = json!({ "items": [item] });
                }
            }
            Ok(document)
        })
    }
}

#[tools]
impl Flow for Later {
    const ID: FlowId = FlowId::new("CartFlow");

    fn version(&self) -> u32 {
        2
    }

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Cart)
    }

    fn migrate(&self, document: Value, from: u32) -> Result<Value, BoxError> {
        let migrated = (self.migrate)(document.clone(), from)?;
        self.seen.lock().unwrap().push((from, document, migrated.clone()));
        Ok(migrated)
    }
}

/// A store with a session of the first version that has a state.
async fn stored() -> (Arc<dyn SessionStore>, Session) {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut talk = Talk::on(First, model(), Arc::clone(&store)).await;
    talk.say("hello").await;
    let mut document = serde_json::to_value(talk.session().await).unwrap();
    assert_eq!(document["flow"]["version"], 0);
    // As documents were before flows had versions.
    document["flow"].as_object_mut().unwrap().remove("version");
    document["flow"]["steps"] = json!([{ "name": "Cart", "state": { "item": "tea" } }]);
    let session: Session = serde_json::from_value(document).unwrap();
    store.save(&session, session.revision).await.unwrap();
    (store, session)
}

async fn run(
    flow: impl Flow,
    store: &Arc<dyn SessionStore>,
    id: &str,
    message: &str,
) -> Result<Reply, TurnError> {
    let mut talk = Talk::on(flow, model(), Arc::clone(store)).await;
    let turn = talk.opening().session(id).message(message);
    talk.run(turn).await
}

#[tokio::test]
async fn an_older_session_is_migrated_before_its_turn_and_written_with_it() {
    let (behind, session) = stored().await;
    let calls = Journal::default();
    let watched: Arc<dyn SessionStore> = Arc::new(Watched::new(Arc::clone(&behind), calls.clone()));
    let flow = Later::good();
    let engine = Engine::builder().flow(flow.clone()).model(model()).store(watched);
    let engine = engine.build().await.unwrap();
    calls.take();
    let turn = Turn::new(Later::ID).session(&session.id).message("look");
    let reply = engine.run(turn.clone()).await.unwrap();
    assert_eq!(reply.text, r#"{"items":["tea"]}"#);
    assert_eq!(calls.take(), ["load", "save"]);
    let after = engine.session(&session.id).await.unwrap().unwrap();
    assert_eq!((after.flow.version, after.revision), (2, session.revision + 1));
    assert_eq!(after.state("Cart"), Some(&json!({ "items": ["tea"] })));
    // The next turn finds it up to date.
    engine.run(turn).await.unwrap();
    let seen = flow.seen.lock().unwrap();
    let [(from, document, _)] = &seen[..] else { panic!() };
    assert_eq!(*from, 0);
    assert_eq!(document["flow"]["steps"][0]["state"]["item"], "tea");
}

#[tokio::test]
async fn a_turn_that_fails_writes_nothing_of_the_migration_and_the_next_one_repeats_it() {
    let (store, session) = stored().await;
    let flow = Later::good();
    let error = run(flow.clone(), &store, &session.id, "fail").await.unwrap_err();
    assert_eq!(error.code(), "MODEL_FAILED");
    let after = store.load(&session.id).await.unwrap().unwrap();
    // But for the note.
    assert_eq!(after.flow, session.flow);
    assert_eq!(after.error.len(), 1);
    let reply = run(flow.clone(), &store, &session.id, "look").await.unwrap();
    assert_eq!(reply.text, r#"{"items":["tea"]}"#);
    let seen = flow.seen.lock().unwrap();
    let [(_, _, first), (_, _, second)] = &seen[..] else { panic!() };
    assert_eq!(first["flow"], second["flow"]);
}

#[tokio::test]
async fn migrating_twice_comes_to_the_same() {
    let (store, session) = stored().await;
    let flow = Later::good();
    let document = serde_json::to_value(store.load(&session.id).await.unwrap()).unwrap();
    let once = flow.migrate(document.clone(), 0).unwrap();
    assert_ne!(once, document);
    assert_eq!(flow.migrate(document, 0).unwrap(), once);
    assert_eq!(flow.migrate(once.clone(), 0).unwrap(), once);
}

/// A migration that fails, with what the error has to say; the stored session stays as it is.
async fn check_refused(flow: Later, part: &str) {
    let (store, session) = stored().await;
    let error = run(flow, &store, &session.id, "look").await.unwrap_err();
    assert_eq!(error.code(), "SESSION_MIGRATION");
    let TurnError::Migration { from: 0, to: 2, .. } = &error else { panic!("{error:?}") };
    let text = error.to_string();
    let start = format!(
        "session `{}` could not be brought from version 0 of flow `CartFlow` to version 2: ",
        session.id
    );
    assert!(text.starts_with(&start) && text.contains(part), "{text}");
    assert_eq!(store.load(&session.id).await.unwrap().unwrap(), session);
}

#[tokio::test]
async fn a_migration_that_fails_is_an_error_and_leaves_the_session_as_it_is() {
    check_refused(Later::new(|_, _| Err("too old".into())), "too old").await;
    check_refused(Later::new(|_, _| panic!("no way")), "`Flow::migrate` panicked: no way").await;
}

/// A migration that changes one place of the document.
fn change(path: &'static str, to: Value) -> Later {
    Later::new(move |mut document, _| {
        *document.pointer_mut(path).unwrap() = to.clone();
        Ok(document)
    })
}

#[tokio::test]
async fn what_a_migration_returns_is_checked() {
    check_refused(Later::new(|_, _| Ok(json!({ "flow": 1 }))), "is no session").await;
    for (path, field) in [("/id", "id"), ("/flow/name", "flow.name")] {
        check_refused(change(path, json!("other")), &format!("must not change `{field}`")).await;
    }
    for (path, field) in [("/revision", "revision"), ("/version", "version")] {
        check_refused(change(path, json!(7)), &format!("must not change `{field}`")).await;
    }
    let odd = change("/flow/steps/0/state", json!("tea"));
    check_refused(odd, "gives step `Cart` a state that is no object").await;
    let deep = (0..200).fold(json!(1), |inner, _| json!({ "in": inner }));
    check_refused(change("/flow/steps/0/state", deep), "a state that has more than 100").await;
    let cut = Later::new(|mut document, _| {
        let messages = document["flow"]["memory"]["Cart"]["messages"].as_array_mut().unwrap();
        messages[1]["tool_calls"] = json!([{ "id": "c1", "name": "look", "args": {} }]);
        Ok(document)
    });
    check_refused(cut, "a history that is not valid: memory `Cart`, message 1").await;
}

#[tokio::test]
async fn a_new_version_without_a_migration_is_refused() {
    struct Forgot;

    impl Flow for Forgot {
        const ID: FlowId = First::ID;

        fn version(&self) -> u32 {
            1
        }

        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }

        fn steps(&self) -> Steps {
            Steps::new().add(Cart)
        }
    }

    let (store, session) = stored().await;
    let error = run(Forgot, &store, &session.id, "look").await.unwrap_err();
    assert!(error.to_string().ends_with("and no `Flow::migrate`"), "{error}");
    assert_eq!(store.load(&session.id).await.unwrap().unwrap(), session);
}

#[tokio::test]
async fn a_newer_session_is_refused_and_stays_as_it_is() {
    let (store, session) = stored().await;
    run(Later::good(), &store, &session.id, "look").await.unwrap();
    let newer = store.load(&session.id).await.unwrap().unwrap();
    let error = run(First, &store, &session.id, "look").await.unwrap_err();
    assert_eq!(error.code(), "SESSION_NEWER");
    assert!(matches!(&error, TurnError::NewerSession { found: 2, known: 0, .. }), "{error:?}");
    assert!(error.to_string().contains("version 2 of flow `CartFlow`"), "{error}");
    assert_eq!(store.load(&session.id).await.unwrap().unwrap(), newer);
}

#[tokio::test]
async fn a_session_that_has_ended_is_not_migrated() {
    let (store, mut session) = stored().await;
    session.run_status = picoflow::session::RunStatus::Completed;
    store.save(&session, session.revision).await.unwrap();
    let flow = Later::good();
    let error = run(flow.clone(), &store, &session.id, "look").await.unwrap_err();
    assert_eq!(error.code(), "SESSION_ENDED");
    assert!(flow.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_session_of_a_flow_of_another_name_is_refused_and_stays_as_it_is() {
    struct Renamed;

    impl Flow for Renamed {
        const ID: FlowId = FlowId::new("BasketFlow");

        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }

        fn steps(&self) -> Steps {
            Steps::new().add(Cart)
        }
    }

    let (store, session) = stored().await;
    let error = run(Renamed, &store, &session.id, "look").await.unwrap_err();
    assert_eq!(error.code(), "SESSION_FLOW_MISMATCH");
    let text = format!("Session '{}' belongs to flow 'CartFlow', not 'BasketFlow'.", session.id);
    assert_eq!(error.to_string(), text);
    assert_eq!(store.load(&session.id).await.unwrap().unwrap(), session);
}
