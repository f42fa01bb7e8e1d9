//! The stores that come with picoflow, held to the rules for all stores, and what is SQLite's own.

use picoflow::{
    SqliteStore,
    session::{MemoryStore, SessionQuery, SessionStore, Timestamp},
    testing::{store_conformance, store_conformance_across},
};
use std::path::Path;
use tempfile::TempDir;

async fn open(file: &Path) -> SqliteStore {
    SqliteStore::open(file).await.unwrap()
}

#[tokio::test]
async fn the_store_in_memory_keeps_all_rules() {
    store_conformance(async || MemoryStore::new()).await.unwrap();
}

#[tokio::test]
async fn the_store_on_sqlite_keeps_all_rules() {
    let directory = TempDir::new().unwrap();
    // The directories in between do not exist yet.
    let file = directory.path().join("a/b/sessions.sqlite");
    store_conformance(async || open(&file).await).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_connections_to_one_sqlite_file_keep_all_rules() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("sessions.sqlite");
    store_conformance_across(async || [open(&file).await, open(&file).await]).await.unwrap();
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_connections_to_one_postgres_database_keep_all_rules() {
    let Some(database) = crate::support::Database::new().await else { return };
    store_conformance_across(async || [database.store().await, database.store().await])
        .await
        .unwrap();
}

/// Where the database's default isolation is higher, the server gives up the loser of a race with an error of its own.
#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_postgres_database_of_serializable_transactions_keeps_all_rules() {
    let Some(database) = crate::support::Database::new().await else { return };
    let url = format!("{}&options=-cdefault_transaction_isolation%3Dserializable", database.url());
    store_conformance(async || picoflow::PostgresStore::connect(&url).await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_sqlite_file_of_an_earlier_build_goes_on_and_gets_the_indices() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("sessions.sqlite");
    let earlier = rusqlite::Connection::open(&file).unwrap();
    earlier
        .execute_batch(
            r#"CREATE TABLE session (
                   id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, flow TEXT NOT NULL,
                   run_status TEXT NOT NULL, current_step TEXT NOT NULL, created_on TEXT NOT NULL,
                   save_on TEXT NOT NULL, document TEXT NOT NULL
               ) STRICT;
               INSERT INTO session VALUES ('a', 0, 'F', 'running', 'S', '2026-02-11T09:14:02.113Z',
                   '2026-02-11T09:14:02.113Z', '{ "id": "a", "revision": 0, "version": 1, "runStatus": "running",
                   "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:14:02.113Z", "flow": { "name": "F",
                   "model": { "provider": "p", "name": "m" }, "currentStep": "S" } }');"#,
        )
        .unwrap();
    let store = open(&file).await;
    store.prepare().await.unwrap();
    assert_eq!(store.load("a").await.unwrap().unwrap().flow.current_step, "S");
    let before: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    let query = SessionQuery { saved_before: Some(before), ..SessionQuery::default() };
    assert_eq!(store.list(&query).await.unwrap()[0].id, "a");
    let count = "SELECT count(*) FROM pragma_index_list('session') WHERE origin = 'c'";
    let indices: i64 = earlier.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(indices, 2);
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
