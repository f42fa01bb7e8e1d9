//! Every store under the same checks.

use picoflow::{
    SqliteStore,
    prelude::*,
    session::{MemoryStore, RunStatus, Session, SessionQuery, SessionStore, StoreError, Timestamp},
};
use std::{future::Future, sync::Arc};
use tempfile::TempDir;

/// A character of each Unicode plane, and what stores trip over.
const PLANES: &str = "\u{0}\u{1}\u{7f}'\"\\%_é\u{300}\u{fffd}\u{ffff}\u{1f600}\u{20000}\u{30000}\u{e0001}\u{f0000}\u{10ffff}\r\n\u{2028}\u{feff}";

/// Runs a check on each store, and on two connections to one file.
async fn on_each<F: Future<Output = ()>>(
    check: impl Fn(Arc<dyn SessionStore>, Arc<dyn SessionStore>) -> F,
) {
    let memory: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    check(Arc::clone(&memory), memory).await;
    let directory = TempDir::new().unwrap();
    let (one, two) = (sqlite(&directory).await, sqlite(&directory).await);
    check(Arc::clone(&one), two).await;
    let directory = TempDir::new().unwrap();
    let store = sqlite(&directory).await;
    check(Arc::clone(&store), store).await;
}

async fn sqlite(directory: &TempDir) -> Arc<dyn SessionStore> {
    // The directory in between does not exist yet.
    let path = directory.path().join("a/b/sessions.sqlite");
    let store = SqliteStore::open(path).await.unwrap();
    store.prepare().await.unwrap();
    // A second time does no harm.
    store.prepare().await.unwrap();
    Arc::new(store)
}

fn session(id: &str, flow: &str) -> Session {
    serde_json::from_value(json!({
        "id": id, "revision": 0, "version": 1, "runStatus": "running",
        "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:15:00.000Z",
        "flow": {
            "name": flow, "model": { "provider": "p", "name": "m", "params": { "temperature": 0.5 } },
            "currentStep": "S", "context": { "config": { "deep": [1, { "a": null }] } },
            "sequence": [{ "level": 1, "stepName": "S" }],
            "steps": [{ "name": "S", "state": { "when": "2026-02-11T09:14:02.113Z", "text": PLANES, PLANES: 1 } }],
            "memory": { "S": { "messages": [
                { "id": "S|t|1", "type": "human", "content": PLANES, "timestamp": "2026-02-11T09:14:02.113Z" },
                { "id": "S|t|2", "type": "ai", "content": "", "timestamp": "2026-02-11T09:14:02.113Z",
                  "tool_calls": [{ "name": "t", "args": { "big": 9_007_199_254_740_993_u64 }, "id": "c" },
                                 { "name": "t", "args": "{not json", "id": "d" }] },
                { "id": "S|t|3", "type": "tool", "content": "no", "timestamp": "2026-02-11T09:14:02.113Z",
                  "name": "t", "tool_call_id": "c", "status": "error" },
                { "id": "S|t|4", "type": "tool", "content": "no", "timestamp": "2026-02-11T09:14:02.113Z",
                  "name": "t", "tool_call_id": "d", "status": "success" }
            ] } },
        },
    }))
    .unwrap()
}

/// The same document one revision on.
fn next(session: &Session) -> Session {
    let mut next = session.clone();
    next.revision += 1;
    next.save_on = "2027-01-01T00:00:00.001Z".parse::<Timestamp>().unwrap();
    next
}

async fn load(store: &dyn SessionStore, id: &str) -> Option<Session> {
    store.load(id).await.unwrap()
}

fn is_conflict(result: &Result<(), StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict { session }) if session == "a")
}

#[tokio::test]
async fn what_is_created_is_loaded_as_it_was() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        store.create(&created).await.unwrap();
        assert_eq!(load(&*other, "a").await, Some(created));
        assert_eq!(load(&*other, "b").await, None);
        assert_eq!(load(&*other, "A").await, None);
        assert_eq!(load(&*other, "").await, None);
    })
    .await;
}

#[tokio::test]
async fn an_id_that_is_taken_is_a_conflict_and_changes_nothing() {
    on_each(|store, other| async move {
        store.create(&session("a", "F")).await.unwrap();
        let again = other.create(&session("a", "G")).await;
        assert!(is_conflict(&again), "{again:?}");
        assert_eq!(load(&*store, "a").await, Some(session("a", "F")));
    })
    .await;
}

#[tokio::test]
async fn a_save_replaces_the_document_of_the_expected_revision() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        store.create(&created).await.unwrap();
        let saved = next(&created);
        other.save(&saved, 0).await.unwrap();
        assert_eq!(load(&*store, "a").await, Some(saved));
    })
    .await;
}

#[tokio::test]
async fn a_stale_save_is_a_conflict_and_changes_nothing() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        let missing = store.save(&next(&created), 0).await;
        assert!(is_conflict(&missing), "{missing:?}");
        assert_eq!(load(&*store, "a").await, None);
        store.create(&created).await.unwrap();
        let saved = next(&created);
        store.save(&saved, 0).await.unwrap();
        for stale in [0, 2, u64::MAX] {
            let mut lost = next(&saved);
            lost.flow.current_step = StepId::new("Lost");
            let result = other.save(&lost, stale).await;
            assert!(result.is_err(), "{stale}");
            assert_eq!(load(&*store, "a").await, Some(saved.clone()));
        }
    })
    .await;
}

#[tokio::test]
async fn a_stale_delete_is_a_conflict_and_a_good_one_removes() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        store.create(&created).await.unwrap();
        let stale = other.delete("a", Some(1)).await;
        assert!(is_conflict(&stale), "{stale:?}");
        assert!(load(&*store, "a").await.is_some());
        other.delete("a", Some(0)).await.unwrap();
        assert_eq!(load(&*store, "a").await, None);
        let gone = store.delete("a", Some(0)).await;
        assert!(is_conflict(&gone), "{gone:?}");
    })
    .await;
}

#[tokio::test]
async fn a_delete_without_a_revision_removes_whatever_is_there() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        store.create(&created).await.unwrap();
        store.save(&next(&created), 0).await.unwrap();
        other.delete("a", None).await.unwrap();
        assert_eq!(load(&*store, "a").await, None);
        other.delete("a", None).await.unwrap();
        // The id is free again.
        store.create(&created).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_concurrent_saves_one_wins_and_the_other_is_a_conflict() {
    on_each(|store, other| async move {
        let mut now = session("a", "F");
        store.create(&now).await.unwrap();
        for _ in 0..20 {
            let save = |store: &Arc<dyn SessionStore>, step: &'static str| {
                let store = Arc::clone(store);
                let mut session = next(&now);
                session.flow.current_step = StepId::new(step);
                let expected = now.revision;
                tokio::spawn(async move { store.save(&session, expected).await })
            };
            let (one, two) = (save(&store, "One"), save(&other, "Two"));
            let (one, two) = (one.await.unwrap(), two.await.unwrap());
            assert!(
                one.is_ok() != two.is_ok() && (is_conflict(&one) || is_conflict(&two)),
                "{one:?} {two:?}"
            );
            now = load(&*store, "a").await.unwrap();
            let winner = if one.is_ok() { "One" } else { "Two" };
            assert_eq!(now.flow.current_step, winner);
        }
        assert_eq!(now.revision, 20);
    })
    .await;
}

async fn ids(store: &dyn SessionStore, query: SessionQuery) -> Vec<String> {
    let list = store.list(&query).await.unwrap();
    list.into_iter().map(|summary| summary.id).collect()
}

#[tokio::test]
async fn a_list_is_ordered_by_id_and_filtered() {
    on_each(|store, other| async move {
        assert_eq!(ids(&*other, SessionQuery::default()).await, [""; 0]);
        for (id, flow) in [("c", "F"), ("a", "G"), ("b", "F"), ("B", "F"), ("é", "G")] {
            let mut session = session(id, flow);
            if id == "b" {
                session.run_status = RunStatus::Completed;
            }
            store.create(&session).await.unwrap();
        }
        let all = SessionQuery::default();
        assert_eq!(ids(&*other, all.clone()).await, ["B", "a", "b", "c", "é"]);
        let of_f = SessionQuery { flow: Some(FlowId::new("F")), ..all.clone() };
        assert_eq!(ids(&*other, of_f.clone()).await, ["B", "b", "c"]);
        let running = SessionQuery { status: Some(RunStatus::Running), ..of_f };
        assert_eq!(ids(&*other, running).await, ["B", "c"]);
        let ended = SessionQuery { status: Some(RunStatus::Completed), ..all };
        assert_eq!(ids(&*other, ended).await, ["b"]);
    })
    .await;
}

#[tokio::test]
async fn a_list_comes_in_pages() {
    on_each(|store, other| async move {
        for id in 0..25 {
            store.create(&session(&format!("{id:02}"), "F")).await.unwrap();
        }
        let mut seen = Vec::new();
        loop {
            let query =
                SessionQuery { after: seen.last().cloned(), limit: 10, ..SessionQuery::default() };
            let page = ids(&*other, query).await;
            if page.is_empty() {
                break;
            }
            assert!(page.len() <= 10);
            seen.extend(page);
        }
        let expected: Vec<_> = (0..25).map(|id| format!("{id:02}")).collect();
        assert_eq!(seen, expected);
        let none = SessionQuery { limit: 0, ..SessionQuery::default() };
        assert_eq!(ids(&*store, none).await, [""; 0]);
        let most = SessionQuery { limit: usize::MAX, ..SessionQuery::default() };
        assert_eq!(ids(&*store, most).await.len(), 25);
    })
    .await;
}

#[tokio::test]
async fn a_summary_says_what_the_document_says() {
    on_each(|store, other| async move {
        let created = session("a", "F");
        store.create(&created).await.unwrap();
        let saved = next(&created);
        store.save(&saved, 0).await.unwrap();
        let list = other.list(&SessionQuery::default()).await.unwrap();
        let summary = &list[0];
        assert_eq!(summary.revision, 1);
        assert_eq!(summary.flow, "F");
        assert_eq!(summary.current_step, "S");
        assert_eq!(summary.run_status, RunStatus::Running);
        assert_eq!(summary.created_on, created.created_on);
        assert_eq!(summary.save_on, saved.save_on);
    })
    .await;
}

#[tokio::test]
async fn a_large_document_is_kept_whole() {
    on_each(|store, other| async move {
        let mut large = session("a", "F");
        let mut state = large.state("S").unwrap().clone();
        state["text"] = Value::from(PLANES.repeat(40_000));
        large.flow.steps[0].state = Arc::new(state);
        store.create(&large).await.unwrap();
        assert_eq!(load(&*other, "a").await, Some(large));
    })
    .await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_an_error_and_not_overwritten() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "These are my notes, and no database.".repeat(100)).unwrap();
    let opened = SqliteStore::open(&path).await;
    let failed = match opened {
        Ok(store) => store.prepare().await.is_err(),
        Err(_) => true,
    };
    assert!(failed);
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept.starts_with("These are my notes"), "{kept}");
}
