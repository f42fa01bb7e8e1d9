//! Sessions in one SQLite file.

mod rows;

use picoflow_core::{
    BoxFuture,
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};
use rows::{Record, page, summary};
use rusqlite::{
    CachedStatement, Connection, ErrorCode, OptionalExtension, params_from_iter, types::FromSql,
};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Keeps sessions in one SQLite file, which several processes of one machine may share.
///
/// SQLite is compiled in.
///
/// The file is in write-ahead mode. A write that meets another process's waits for up to five seconds. Calls run on
/// tokio's blocking threads.
///
/// ```
/// use picoflow::{SqliteStore, session::SessionStore};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # let directory = std::env::temp_dir().join(format!("picoflow-doc-{}", std::process::id()));
/// let store = SqliteStore::open(directory.join("sessions.sqlite")).await?;
/// store.prepare().await?; // the engine does this
/// assert!(store.load("nobody").await?.is_none());
/// # drop(store);
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Arc<Mutex<Connection>>,
}

/// How long a write waits for another process's.
const BUSY: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS session (
        id           TEXT PRIMARY KEY NOT NULL,
        revision     INTEGER NOT NULL,
        flow         TEXT NOT NULL,
        run_status   TEXT NOT NULL,
        current_step TEXT NOT NULL,
        created_on   TEXT NOT NULL,
        save_on      TEXT NOT NULL,
        document     TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS session_by_flow_and_status ON session (flow, run_status, id);
    CREATE INDEX IF NOT EXISTS session_by_save_time ON session (save_on);
";

impl SqliteStore {
    /// Opens the file, and makes it and its directory if they are not there.
    /// See [`SqliteStore`] for an example.
    ///
    /// # Errors
    /// When the file cannot be opened or is no SQLite file.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let file = path.clone();
        let connection = blocking(move || {
            if let Some(directory) = file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                std::fs::create_dir_all(directory).map_err(StoreError::failed)?;
            }
            let connection = Connection::open(&file).map_err(StoreError::failed)?;
            connection.busy_timeout(BUSY).map_err(StoreError::failed)?;
            // `WAL` lets readers and one writer work side by side; `FULL` keeps a committed turn through a power cut.
            connection
                .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
                .map_err(StoreError::failed)?;
            Ok(connection)
        })
        .await?;
        Ok(Self { path, connection: Arc::new(Mutex::new(connection)) })
    }

    /// Runs `work` on a thread that may wait.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let connection = Arc::clone(&self.connection);
        Box::pin(blocking(move || {
            // A panic while it was held cannot leave a statement half done: SQLite undoes what was not committed.
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            work(&connection)
        }))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(StoreError::failed)?
}

impl SessionStore for SqliteStore {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.run(|connection| connection.execute_batch(SCHEMA).map_err(StoreError::failed))
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        let id = id.to_owned();
        self.run(move |connection| {
            let sql = "SELECT document FROM session WHERE id = ?1";
            let document: Option<String> = column(connection, sql, &id)?;
            let session = document.map(|document| serde_json::from_str(&document)).transpose();
            session.map_err(|error| StoreError::Unreadable { session: id, source: error.into() })
        })
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        let id = id.to_owned();
        self.run(move |connection| {
            let sql = "SELECT revision FROM session WHERE id = ?1";
            let revision: Option<i64> = column(connection, sql, &id)?;
            revision.map(u64::try_from).transpose().map_err(StoreError::failed)
        })
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        let row = Record::of(session);
        self.run(move |connection| {
            let row = row?;
            let mut statement = prepare(
                connection,
                "INSERT INTO session (id, revision, flow, run_status, current_step, created_on, save_on, document)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let inserted = statement.execute((
                &row.id,
                row.revision,
                row.flow,
                row.run_status,
                row.current_step,
                row.created_on,
                row.save_on,
                row.document,
            ));
            match inserted {
                Ok(_) => Ok(()),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                    Err(StoreError::conflict(row.id))
                }
                Err(error) => Err(StoreError::failed(error)),
            }
        })
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let row = Record::of(session);
        self.run(move |connection| {
            let row = row?;
            let mut statement = prepare(
                connection,
                "UPDATE session SET revision = ?3, flow = ?4, run_status = ?5, current_step = ?6, save_on = ?7, document = ?8
                 WHERE id = ?1 AND revision = ?2",
            )?;
            let changed = statement
                .execute((
                    &row.id, expected(expected_revision, &row.id)?, row.revision, row.flow, row.run_status, row.current_step, row.save_on, row.document,
                ))
                .map_err(StoreError::failed)?;
            one_row(changed, row.id)
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let id = id.to_owned();
        self.run(move |connection| {
            let Some(revision) = expected_revision else {
                let mut statement = prepare(connection, "DELETE FROM session WHERE id = ?1")?;
                statement.execute([&id]).map_err(StoreError::failed)?;
                return Ok(());
            };
            let mut statement =
                prepare(connection, "DELETE FROM session WHERE id = ?1 AND revision = ?2")?;
            let changed =
                statement.execute((&id, expected(revision, &id)?)).map_err(StoreError::failed)?;
            one_row(changed, id)
        })
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        let query = query.clone();
        self.run(move |connection| {
            let (sql, values) = page(&query);
            let mut statement = prepare(connection, &sql)?;
            let rows = statement
                .query_map(params_from_iter(values), summary)
                .map_err(StoreError::failed)?;
            rows.collect::<Result<_, _>>().map_err(StoreError::failed)
        })
    }
}

/// What `sql` tells of the session with this id, if it is there.
fn column<T: FromSql>(
    connection: &Connection,
    sql: &str,
    id: &str,
) -> Result<Option<T>, StoreError> {
    let mut statement = prepare(connection, sql)?;
    statement.query_row([id], |row| row.get(0)).optional().map_err(StoreError::failed)
}

fn prepare<'c>(connection: &'c Connection, sql: &str) -> Result<CachedStatement<'c>, StoreError> {
    connection.prepare_cached(sql).map_err(StoreError::failed)
}

/// Whether the compare part of a compare-and-swap held.
fn one_row(changed: usize, session: String) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(StoreError::conflict(session)) }
}

/// A revision that cannot be stored is none that is.
fn expected(revision: u64, session: &str) -> Result<i64, StoreError> {
    i64::try_from(revision).map_err(|_| StoreError::conflict(session))
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}
