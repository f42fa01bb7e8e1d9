//! The stores that come with picoflow, held to the rules for all stores, and what is SQLite's own.

use picoflow::{
    SqliteStore,
    session::{MemoryStore, SessionQuery, SessionStore, StoreError, Timestamp},
    testing::{store_conformance, store_conformance_across},
};
use std::{
    error::Error,
    io::Read,
    path::Path,
    process::{Command, Stdio},
};
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
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn two_connections_to_one_postgres_database_keep_all_rules() {
    let database = crate::support::Database::new().await;
    store_conformance_across(async || [database.store().await, database.store().await])
        .await
        .unwrap();
}

/// Where the database's default isolation is higher, the server gives up the loser of a race with an error of its own.
#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_postgres_database_of_serializable_transactions_keeps_all_rules() {
    let database = crate::support::Database::new().await;
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

/// What opening the file and preparing it fails with.
async fn failure(file: &Path) -> String {
    let failed = async { SqliteStore::open(file).await?.prepare().await };
    let error = failed.await.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error}");
    let mut cause: Option<&dyn Error> = Some(&error);
    while let Some(error) = cause {
        let text = error.to_string();
        assert!(!text.contains("CREATE") && !text.contains("SELECT"), "{text}");
        cause = error.source();
    }
    let text = error.to_string();
    assert!(text.contains(&format!("SQLite file `{}`: ", file.display())), "{text}");
    text
}

#[tokio::test]
async fn a_file_that_is_no_database_is_an_error_and_not_overwritten() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "These are my notes, and no database.".repeat(100)).unwrap();
    let text = failure(&path).await;
    assert!(text.ends_with("it is not a SQLite database: give another path"), "{text}");
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept.starts_with("These are my notes"), "{kept}");
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_named() {
    let directory = TempDir::new().unwrap();
    let text = failure(directory.path()).await;
    assert!(text.contains("it cannot be opened: "), "{text}");
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let text = failure(&file.join("s.sqlite")).await;
    assert!(text.contains("its directory cannot be made: "), "{text}");
}

#[tokio::test]
async fn a_path_without_a_name_is_refused() {
    let text = failure(Path::new("")).await;
    assert!(
        text.ends_with(
            "the path is empty: name a file, or keep sessions in memory by `MemoryStore`"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_uri_makes_no_directories_of_its_own() {
    let directory = TempDir::new().unwrap();
    let uri = format!("file:{}/s.sqlite", directory.path().display());
    open(Path::new(&uri)).await.prepare().await.unwrap();
    assert!(directory.path().join("s.sqlite").exists());
    assert!(!Path::new("file:").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_removed_or_replaced_is_told_at_the_next_call() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("s.sqlite");
    let store = open(&file).await;
    store.prepare().await.unwrap();
    std::fs::remove_file(&file).unwrap();
    let told = |error: StoreError| {
        let text = error.to_string();
        assert!(text.contains("it was removed or replaced while it was in use"), "{text}");
    };
    told(store.load("a").await.unwrap_err());
    open(&file).await.prepare().await.unwrap();
    told(store.list(&SessionQuery::default()).await.unwrap_err());
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_named_by_the_list() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("s.sqlite");
    let store = open(&file).await;
    store.prepare().await.unwrap();
    let other = rusqlite::Connection::open(&file).unwrap();
    other
        .execute_batch(
            "INSERT INTO session VALUES ('bad', 0, 'F', 'xx', 'S', 'yesterday', 'now', '{}')",
        )
        .unwrap();
    let error = store.list(&SessionQuery::default()).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Unreadable { session, .. } if session == "bad"),
        "{error}"
    );
}

#[tokio::test]
async fn a_table_of_another_program_is_refused_in_words() {
    for schema in [
        "CREATE TABLE session (token TEXT, user INTEGER)",
        "CREATE TABLE Session (id TEXT, revision INTEGER, flow TEXT)",
        "CREATE VIEW session AS SELECT 1 AS id",
        "CREATE TABLE session (id TEXT, revision, flow, run_status, current_step, created_on, save_on, document)",
        "CREATE TABLE session (id TEXT PRIMARY KEY, revision, flow, run_status, current_step, created_on, save_on, document, must TEXT NOT NULL) WITHOUT ROWID",
    ] {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("app.sqlite");
        let other = rusqlite::Connection::open(&file).unwrap();
        other.execute_batch(schema).unwrap();
        let text = failure(&file).await;
        assert!(
            text.contains("which is not of picoflow: give picoflow a file of its own"),
            "{text}"
        );
        let objects = "SELECT count(*) FROM sqlite_schema";
        assert_eq!(other.query_row(objects, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    }
}

#[tokio::test]
async fn a_store_that_was_not_prepared_says_so() {
    let directory = TempDir::new().unwrap();
    let store = open(&directory.path().join("s.sqlite")).await;
    let text = store.load("a").await.unwrap_err().to_string();
    assert!(text.contains("s.sqlite`: ") && text.contains("`SessionStore::prepare`"), "{text}");
}

#[tokio::test]
async fn a_document_that_is_no_text_is_unreadable() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("s.sqlite");
    let store = open(&file).await;
    store.prepare().await.unwrap();
    let other = rusqlite::Connection::open(&file).unwrap();
    other
        .execute_batch(
            "INSERT INTO session VALUES ('a', 0, 'F', 'running', 'S', '2026-02-11T09:14:02.113Z',
                 '2026-02-11T09:14:02.113Z', CAST(x'ff' AS TEXT))",
        )
        .unwrap();
    let error = store.load("a").await.unwrap_err();
    assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
    store.delete("a", None).await.unwrap();
    assert!(store.load("a").await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_file_may_be_opened_32_times_at_once() {
    for _ in 0..5 {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("s.sqlite");
        let opened = (0..32).map(|_| {
            let file = file.clone();
            tokio::spawn(async move {
                let store = SqliteStore::open(&file).await?;
                store.prepare().await?;
                store.list(&SessionQuery::default()).await
            })
        });
        let opened: Vec<_> = opened.collect();
        for opened in opened {
            assert_eq!(opened.await.unwrap().unwrap(), []);
        }
    }
}

/// Closing a file's last connection takes a lock too, and SQLite does not wait for it.
#[test]
fn a_new_file_may_be_opened_by_32_processes_at_once() {
    for round in 0..3 {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("s.sqlite");
        let start = || {
            Command::new(env!("CARGO_BIN_EXE_opener"))
                .arg(&file)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let mut processes: Vec<_> = (0..32).map(|_| start()).collect();
        for process in &mut processes {
            let mut ready = [0; 6];
            process.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
            assert_eq!(&ready, b"ready\n");
        }
        for process in &mut processes {
            drop(process.stdin.take());
        }
        for process in processes {
            let ended = process.wait_with_output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "round {round}: {told}");
        }
    }
}
