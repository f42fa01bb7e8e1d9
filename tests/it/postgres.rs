//! What is PostgreSQL's own among the stores, and what happens when the server or the line to it fails.

use crate::support::{
    Database, Line, PATIENCE, Proxy, Talk, TestFlow, found, prepared, server, within,
};
use picoflow::{
    PostgresStore,
    prelude::*,
    session::{Session, SessionQuery, SessionStore, StoreError},
    sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions, query, query_scalar},
    testing::{Rule, ScriptedModel},
};
use std::{sync::Arc, time::Duration};

fn session(id: &str, state: &Value) -> Session {
    serde_json::from_value(json!({
        "id": id, "revision": 0, "version": 1, "runStatus": "running",
        "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:15:00.000Z",
        "flow": { "name": "F", "model": { "provider": "p", "name": "m" }, "currentStep": "S",
                  "steps": [{ "name": "S", "state": state }] },
    }))
    .unwrap()
}

fn next(session: &Session) -> Session {
    let mut next = session.clone();
    next.revision += 1;
    next
}

/// A store that is ready, and a session in it.
async fn with_session(database: &Database) -> (PostgresStore, Session) {
    let store = database.store().await;
    store.prepare().await.unwrap();
    let session = session("a", &json!({}));
    store.create(&session).await.unwrap();
    (store, session)
}

async fn execute(pool: &PgPool, sql: impl Into<String>) {
    query(AssertSqlSafe(sql.into())).execute(pool).await.unwrap();
}

/// The text of the failure that a call came to.
fn failure<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error}");
    error.to_string()
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn stores_that_start_at_once_make_one_table() {
    let database = Database::new().await;
    let mut stores = Vec::new();
    for _ in 0..8 {
        stores.push(database.store().await);
    }
    let prepared = stores.iter().cloned().map(|store| {
        tokio::spawn(async move {
            store.prepare().await?;
            store.list(&SessionQuery::default()).await
        })
    });
    for prepared in futures_util::future::join_all(prepared).await {
        assert!(prepared.unwrap().unwrap().is_empty());
    }
    let pool = database.pool().await;
    let runs = query_scalar("SELECT count(*) FROM picoflow_migrations").fetch_one(&pool);
    let runs: i64 = runs.await.unwrap();
    assert_eq!(runs, 1);
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_role_without_the_right_to_create_can_use_a_table_that_is_there() {
    let database = Database::new().await;
    let (pool, schema) = (database.pool().await, &database.schema);
    execute(&pool, format!("CREATE ROLE {schema} LOGIN PASSWORD 'x'")).await;
    execute(&pool, format!("GRANT USAGE ON SCHEMA {schema} TO {schema}")).await;
    let (_, rest) = database.url().split_once('@').unwrap();
    let store = PostgresStore::connect(&format!("postgres://{schema}:x@{rest}")).await.unwrap();
    let text = failure(store.prepare().await);
    assert!(text.contains("permission denied"), "{text}");

    database.store().await.prepare().await.unwrap();
    execute(&pool, format!("GRANT SELECT ON picoflow_migrations TO {schema}")).await;
    let rights = "SELECT, INSERT, UPDATE, DELETE";
    execute(&pool, format!("GRANT {rights} ON picoflow_session TO {schema}")).await;
    store.prepare().await.unwrap();
    let session = session("a", &json!({}));
    store.create(&session).await.unwrap();
    store.save(&next(&session), 0).await.unwrap();
    assert_eq!(store.load("a").await.unwrap(), Some(next(&session)));
    store.delete("a", Some(1)).await.unwrap();
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_table_of_a_newer_or_another_picoflow_is_refused_and_left_alone() {
    let database = Database::new().await;
    let (store, _) = with_session(&database).await;
    let pool = database.pool().await;
    let newer = "INSERT INTO picoflow_migrations VALUES (999, 'later', now(), true, '', 0)";
    execute(&pool, newer).await;
    let text = failure(store.prepare().await);
    assert!(text.contains("newer picoflow (migration 999)"), "{text}");
    execute(&pool, "DELETE FROM picoflow_migrations WHERE version = 999").await;
    execute(&pool, "UPDATE picoflow_migrations SET checksum = ''").await;
    let text = failure(store.prepare().await);
    assert!(text.contains("could not be brought up to date"), "{text}");
    assert!(store.load("a").await.unwrap().is_some());
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn the_document_can_be_queried_as_jsonb_whatever_texts_it_holds() {
    let database = Database::new().await;
    let (store, _) = with_session(&database).await;
    let state = json!({ "z": "a\0b\\\0\0", "a": "\\u0000", "n\0": "c\\\\\0" });
    let nul = session("nul", &state);
    store.create(&nul).await.unwrap();
    assert_eq!(
        serde_json::to_string(&store.load("nul").await.unwrap()).unwrap(),
        serde_json::to_string(&nul).unwrap()
    );
    let pool = database.pool().await;
    let sql =
        "SELECT (document #> '{flow,steps,0,state}')::text FROM picoflow_session WHERE id = 'nul'";
    let found: String = query_scalar(sql).fetch_one(&pool).await.unwrap();
    let expected = json!({ "z": "a\u{fffd}b\\\u{fffd}\u{fffd}", "a": "\\u0000", "n\u{fffd}": "c\\\\\u{fffd}" });
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap(), expected);
    let sql = "SELECT id FROM picoflow_session WHERE document @> '{\"flow\": {\"currentStep\": \"S\"}}' ORDER BY id";
    let found: Vec<String> = query_scalar(sql).fetch_all(&pool).await.unwrap();
    assert_eq!(found, ["a", "nul"]);
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_document_that_jsonb_cannot_hold_is_kept_all_the_same() {
    let database = Database::new().await;
    let (store, _) = with_session(&database).await;
    // A model may write such a number, which is read as 0.
    let mut document = serde_json::to_value(session("tiny", &json!({}))).unwrap();
    document["flow"]["memory"] = json!({ "S": { "messages": [
        { "id": "S|t|1", "type": "ai", "content": "", "timestamp": "2026-02-11T09:14:02.113Z",
          "tool_calls": [{ "name": "t", "args": "ARGUMENTS", "id": "c" }] } ] } });
    let document = document.to_string().replace("\"ARGUMENTS\"", r#"{"a":1e-20000}"#);
    let tiny: Session = serde_json::from_str(&document).unwrap();
    assert!(serde_json::to_string(&tiny).unwrap().contains("1e-20000"));
    store.create(&tiny).await.unwrap();
    assert_eq!(store.load("tiny").await.unwrap(), Some(tiny));
    let pool = database.pool().await;
    let sql = "SELECT document IS NULL FROM picoflow_session ORDER BY id";
    let found: Vec<bool> = query_scalar(sql).fetch_all(&pool).await.unwrap();
    assert_eq!(found, [false, true]);
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn an_id_with_nul_is_refused_with_its_name() {
    let database = Database::new().await;
    let (store, _) = with_session(&database).await;
    let text = failure(store.create(&session("a\0", &json!({}))).await);
    assert!(text.contains("the id of this session"), "{text}");
    let mut nul = session("b", &json!({}));
    nul.flow.current_step = StepId::new("S\0");
    let text = failure(store.create(&nul).await);
    assert!(text.contains("the current step of this session"), "{text}");
    store.delete("a\0", None).await.unwrap();
    assert!(store.load("a").await.unwrap().is_some());
}

/// Locks the session's row, so that a save waits.
async fn lock(
    database: &Database,
) -> (PgPool, picoflow::sqlx::Transaction<'static, picoflow::sqlx::Postgres>) {
    let pool = database.pool().await;
    let mut lock = pool.begin().await.unwrap();
    query("SELECT 1 FROM picoflow_session FOR UPDATE").execute(&mut *lock).await.unwrap();
    (pool, lock)
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_killed_connection_fails_the_call_and_not_the_next_one() {
    let database = Database::new().await;
    let (store, session) = with_session(&database).await;
    let (pool, lock) = lock(&database).await;
    let waiting = tokio::spawn({
        let (store, saved) = (store.clone(), next(&session));
        async move { store.save(&saved, 0).await }
    });
    let kill = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks
                WHERE NOT granted AND pg_backend_pid() <> pid
                AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'picoflow_session'::regclass)";
    found("a save that waits", async || {
        let killed: i64 = query_scalar(kill).fetch_one(&pool).await.unwrap();
        (killed > 0).then_some(())
    })
    .await;
    let text = failure(waiting.await.unwrap());
    assert!(text.contains("terminating connection"), "{text}");
    lock.rollback().await.unwrap();
    store.save(&next(&session), 0).await.unwrap();
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_call_that_takes_too_long_fails_and_holds_no_connection() {
    let database = Database::new().await;
    let (_, session) = with_session(&database).await;
    let pool = PgPoolOptions::new().max_connections(1).connect(database.url()).await.unwrap();
    let store = PostgresStore::new(pool).timeout(Duration::from_millis(300));
    let (_pool, lock) = lock(&database).await;
    let text = failure(store.save(&next(&session), 0).await);
    assert!(text.contains("did not answer within 300ms"), "{text}");
    // The pool's only connection is replaced. A save of that kind may have been made or not.
    let store = store.timeout(PATIENCE);
    assert!(store.load("a").await.unwrap().is_some());
    lock.rollback().await.unwrap();
    let result = store.save(&next(&session), 0).await;
    assert!(matches!(result, Ok(()) | Err(StoreError::Conflict { .. })), "{result:?}");
    assert_eq!(store.load("a").await.unwrap(), Some(next(&session)));
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_pool_without_a_free_connection_says_so() {
    let database = Database::new().await;
    let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(3));
    let connect = async || options.clone().connect(database.url()).await.ok();
    let pool = found("a connection", connect).await;
    let store = PostgresStore::new(pool.clone());
    let held = pool.acquire().await.unwrap();
    let text = failure(store.prepare().await);
    assert!(text.contains("all connections of the pool are in use"), "{text}");
    drop(held);
    store.prepare().await.unwrap();
}

struct Talks;

#[tools]
impl Step for Talks {}

/// A store over a line that can be cut.
async fn store_over(line: &Proxy, database: &Database) -> PostgresStore {
    let pool = PgPoolOptions::new().acquire_timeout(PATIENCE);
    PostgresStore::new(pool.connect(&database.url_at(line.address)).await.unwrap())
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_conversation_goes_on_when_the_server_is_back() {
    let database = Database::new().await;
    let line = Proxy::to(database.address()).await;
    // Long enough for what works.
    let store = store_over(&line, &database).await.timeout(Duration::from_secs(10));
    let model = ScriptedModel::new().on(Rule::new(), "Hello.");
    let flow = TestFlow::new(Steps::new().add(Talks));
    // The checks of the conversation have a line of their own.
    let behind = Arc::new(database.store().await);
    let mut talk = Talk::open(flow, model, store, behind, |engine| engine).await;
    for break_ in [Line::Down, Line::Silent] {
        talk.say("Hi").await;
        line.set(break_);
        let error = talk.fail("Hi").await;
        assert_eq!(error.code(), "SESSION_STORE_ERROR", "{error}");
        line.set(Line::Up);
        talk.say("Hi").await;
    }
    assert_eq!(talk.memory("Talks").await.len(), 8);
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_dead_line_is_noticed_in_time_by_every_call() {
    let database = Database::new().await;
    let line = Proxy::to(database.address()).await;
    let store = store_over(&line, &database).await.timeout(PATIENCE);
    store.prepare().await.unwrap();
    let session = session("a", &json!({}));
    store.create(&session).await.unwrap();
    line.set(Line::Silent);
    let limited = store.clone().timeout(Duration::from_secs(1));
    let calls = async {
        [
            failure(limited.prepare().await),
            failure(limited.load("a").await),
            failure(limited.create(&session).await),
            failure(limited.save(&next(&session), 0).await),
            failure(limited.delete("a", None).await),
            failure(limited.list(&SessionQuery::default()).await),
        ]
    };
    for text in within("all calls end", calls).await {
        assert!(text.contains("did not answer within 1s"), "{text}");
    }
    line.set(Line::Up);
    assert_eq!(store.load("a").await.unwrap(), Some(session));
}

#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn no_failure_tells_the_password() {
    let url = server();
    let (user, rest) = url.strip_prefix("postgres://").unwrap().split_once(':').unwrap();
    let (_, host) = rest.split_once('@').unwrap();
    let secret = "s3cr%65t";
    for url in [
        format!("postgres://{user}:{secret}@{host}"),
        format!("postgres://{user}:{secret}@127.0.0.1:1/postgres"),
        format!("postgres://{user}:{secret}@no-such-host.invalid/postgres"),
        format!("postgres://{user}:{secret}@127.0.0.1:port/postgres"),
        format!("{user}:{secret}@127.0.0.1"),
        format!("postgres:///{user}:{secret}@127.0.0.1:1"),
        format!("postgres://{host}?password={secret}"),
        secret.to_owned(),
    ] {
        let error = PostgresStore::connect(&url).await.unwrap_err();
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("s3cr"), "{text}");
        }
    }
    let store = PostgresStore::connect(&url).await.unwrap();
    let password = rest.split_once('@').unwrap().0;
    assert!(!format!("{store:?}").contains(password), "{store:?}");
}

#[tokio::test]
#[cfg_attr(
    not(all(prepared = "postgres", prepared = "certificate")),
    ignore = "needs PostgreSQL and its certificate: run scripts/postgres cargo test"
)]
async fn tls_holds_the_server_to_its_certificate() {
    let database = Database::new().await;
    let file = prepared("PICOFLOW_TEST_POSTGRES_CERTIFICATE", "scripts/postgres");
    let checked = format!("{}&sslmode=verify-full", database.url());
    let text = failure(PostgresStore::connect(&checked).await);
    assert!(text.contains("certificate"), "{text}");
    let pool = PgPool::connect(&format!("{checked}&sslrootcert={file}")).await.unwrap();
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert!(query_scalar::<_, bool>(sql).fetch_one(&pool).await.unwrap());
    PostgresStore::new(pool).prepare().await.unwrap();
}

/// What a pooler does that gives each transaction another connection.
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_pooler_that_forgets_prepared_statements_is_named() {
    let database = Database::new().await;
    let (store, _) = with_session(&database).await;
    let pool = PgPoolOptions::new().max_connections(1).connect(database.url()).await.unwrap();
    let behind_a_pooler = PostgresStore::new(pool.clone());
    assert!(behind_a_pooler.load("a").await.unwrap().is_some());
    execute(&pool, "DEALLOCATE ALL").await;
    let text = failure(behind_a_pooler.load("a").await);
    assert!(text.contains("session mode"), "{text}");
    assert!(store.load("a").await.unwrap().is_some());
}
