//! The store under a check, and what checks ask of it.

use super::fault::{Failure, Outcome, same};
use picoflow_core::{
    StepId,
    session::{Session, SessionQuery, SessionStore, StoreError},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

/// Two handles on one database, and names that no other check uses.
pub(super) struct Subject {
    pub(super) one: Arc<dyn SessionStore>,
    pub(super) other: Arc<dyn SessionStore>,
    prefix: String,
    made: Mutex<BTreeSet<String>>,
}

impl Subject {
    pub(super) fn new([one, other]: [Arc<dyn SessionStore>; 2]) -> Self {
        // Seeded at random for each process and counted up in it.
        let number = RandomState::new().hash_one("");
        Self { one, other, prefix: format!("check-{number:016x}"), made: Mutex::default() }
    }

    pub(super) async fn prepare(&self) -> Outcome {
        done("prepare", self.one.prepare().await)?;
        done("prepare", self.other.prepare().await)
    }

    /// An id of this check.
    pub(super) fn id(&self, name: &str) -> String {
        let id = format!("{}-{name}", self.prefix);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
        id
    }

    /// A session of this check, of a flow of this check.
    pub(super) fn session(&self, name: &str) -> Outcome<Session> {
        self.session_of("F", name)
    }

    pub(super) fn session_of(&self, flow: &str, name: &str) -> Outcome<Session> {
        let document = document(&self.id(name), &self.flow(flow));
        serde_json::from_value(document)
            .map_err(|error| Failure::new("a document for the check", error))
    }

    pub(super) fn flow(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// A query for the sessions of a flow of this check.
    pub(super) fn query(&self, flow: &str) -> SessionQuery {
        SessionQuery { flow: Some(self.flow(flow).into()), ..SessionQuery::default() }
    }

    /// Removes what the check made. A store that cannot has been found out by then.
    pub(super) async fn clean_up(&self) {
        let made = std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner));
        for id in made {
            drop(self.one.delete(&id, None).await);
        }
    }
}

fn document(id: &str, flow: &str) -> Value {
    json!({
        "id": id, "revision": 0, "version": 1, "runStatus": "running",
        "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:15:00.000Z",
        "tokens": { "inputTokens": 12, "outputTokens": 3 },
        "warn": [{ "timestamp": "2026-02-11T09:14:59.000Z", "level": "warn", "message": "odd", "tool": "t" }],
        "flow": {
            "name": flow, "model": { "provider": "p", "name": "m", "params": { "temperature": 0.5 } },
            "currentStep": "S", "context": { "config": { "deep": [1, { "a": null }] } },
            "sequence": [{ "level": 1, "stepName": "S" }],
            "steps": [{ "name": "S", "state": { "name": "Ann" } }],
            "memory": { "S": { "messages": [
                { "id": "S|t|1", "type": "human", "content": "Hi", "timestamp": "2026-02-11T09:14:02.113Z" },
                { "id": "S|t|2", "type": "ai", "content": "", "timestamp": "2026-02-11T09:14:02.113Z",
                  "tool_calls": [{ "name": "t", "args": { "z": 1, "a": 2 }, "id": "c" },
                                 { "name": "t", "args": "{not json \\u0000", "id": "d" }] },
                { "id": "S|t|3", "type": "tool", "content": "no", "timestamp": "2026-02-11T09:14:02.113Z",
                  "name": "t", "tool_call_id": "c", "status": "error" },
                { "id": "S|t|4", "type": "tool", "content": "yes", "timestamp": "2026-02-11T09:14:02.113Z",
                  "name": "t", "tool_call_id": "d", "status": "success" }
            ] } },
        },
    })
}

/// The same session one revision on, written by `writer`.
pub(super) fn next(session: &Session, writer: &str) -> Session {
    let mut next = session.clone();
    next.revision += 1;
    next.flow.current_step = StepId::from(writer.to_owned());
    next
}

/// The session with `state` as the state of its step.
pub(super) fn with_state(mut session: Session, state: Value) -> Session {
    let state = Arc::new(state);
    for step in &mut session.flow.steps {
        step.state = Arc::clone(&state);
    }
    session
}

/// The result of a call that has to succeed.
pub(super) fn done<T>(call: &str, result: Result<T, StoreError>) -> Outcome<T> {
    result.map_err(|error| Failure::new(format_args!("`{call}` to succeed"), error))
}

/// Whether a call was told that somebody else was faster.
pub(super) fn conflict(call: &str, id: &str, result: Result<(), StoreError>) -> Outcome {
    let found = match result {
        Err(StoreError::Conflict { session }) if session == id => return Ok(()),
        Err(error) => error.to_string(),
        Ok(()) => "a success".to_owned(),
    };
    Err(Failure::new(format_args!("`{call}` to fail with a conflict of session `{id}`"), found))
}

pub(super) async fn load(store: &dyn SessionStore, id: &str) -> Outcome<Option<Session>> {
    done("load", store.load(id).await)
}

/// Whether the store holds this session to the letter.
pub(super) async fn kept(store: &dyn SessionStore, session: &Session) -> Outcome {
    let Some(found) = load(store, &session.id).await? else {
        return Err(Failure::new(format_args!("session `{}` to be there", session.id), "none"));
    };
    same("a document", &text(&found)?, &text(session)?)
}

/// Whether the store holds no session of this id.
pub(super) async fn gone(store: &dyn SessionStore, id: &str) -> Outcome {
    match load(store, id).await? {
        None => Ok(()),
        Some(found) => Err(Failure::new(
            format_args!("no session `{id}`"),
            format_args!("one of revision {}", found.revision),
        )),
    }
}

fn text(session: &Session) -> Outcome<String> {
    serde_json::to_string(session)
        .map_err(|error| Failure::new("a document that can be written", error))
}
