//! Sessions in one SQLite file.

mod create;
mod error;
mod open;
mod rows;

use create::Opened;
use error::{Fault, Reason};
use picoflow_core::{
    BoxError, BoxFuture,
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};
use rows::{Record, page, summary};
use rusqlite::{
    Connection,
    Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error},
    ErrorCode, OptionalExtension, params_from_iter,
    types::FromSql,
};
use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Keeps sessions in one SQLite file, which several processes of one machine may share.
///
/// SQLite is compiled in.
///
/// The file is in write-ahead mode. A write that meets another process's waits for up to five seconds; several processes may
/// make the file at once. Calls run on tokio's blocking threads. Errors name the file.
///
/// A new file, and the two that SQLite puts beside it, can be read and written by their owner alone (mode 0600). A file that is
/// there keeps its mode. On systems without modes, and for names that begin with `file:`, the directory decides.
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
    path: Arc<Path>,
    /// Which file was opened.
    opened: Option<Arc<Opened>>,
    connection: Arc<Mutex<Connection>>,
}

impl SqliteStore {
    /// Opens the file, and makes it and its directory if they are not there.
    /// See [`SqliteStore`] for an example.
    ///
    /// # Errors
    /// When the file cannot be opened, or is not a SQLite file.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path: Arc<Path> = path.as_ref().into();
        let file = Arc::clone(&path);
        let connection = blocking(&path, move || open::open(&file)).await?;
        Ok(Self {
            opened: Opened::of(&path).map(Arc::new),
            path,
            connection: Arc::new(Mutex::new(connection)),
        })
    }

    /// Runs `work` on a thread that may wait.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let (path, connection) = (Arc::clone(&self.path), Arc::clone(&self.connection));
        let opened = self.opened.clone();
        Box::pin(async move {
            let work = move || {
                // SQLite would go on with a file that has no name any more, and lose what is written.
                if opened.is_some_and(|opened| !opened.is_there()) {
                    return Err(Reason::Gone.into());
                }
                // A panic while it was held cannot leave a statement half done: SQLite undoes what was not committed.
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                work(&connection)
            };
            blocking(&path, work).await
        })
    }
}

/// Runs `work` on a thread that may wait. Its errors name the file.
async fn blocking<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Fault::other(error))).map_err(|fault| fault.of_file(path))
}

impl SessionStore for SqliteStore {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.run(open::prepare)
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        let id = id.to_owned();
        self.run(move |connection| {
            let sql = "SELECT document FROM session WHERE id = ?1";
            let document: Option<String> = match column(connection, sql, &id) {
                // Its bytes are no text.
                Err(
                    error @ (FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..)),
                ) => {
                    return Err(unreadable(id, error));
                }
                document => document?,
            };
            let session = document.map(|document| serde_json::from_str(&document)).transpose();
            session.map_err(|error| unreadable(id, error))
        })
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        let id = id.to_owned();
        self.run(move |connection| {
            let sql = "SELECT revision FROM session WHERE id = ?1";
            let revision: Option<i64> = column(connection, sql, &id)?;
            revision.map(u64::try_from).transpose().map_err(Fault::other)
        })
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        let row = Record::of(session);
        self.run(move |connection| {
            let row = row?;
            let mut statement = connection.prepare_cached(
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
                    Err(StoreError::conflict(row.id).into())
                }
                Err(error) => Err(error.into()),
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
            let mut statement = connection.prepare_cached(
                "UPDATE session SET revision = ?3, flow = ?4, run_status = ?5, current_step = ?6, save_on = ?7, document = ?8
                 WHERE id = ?1 AND revision = ?2",
            )?;
            let changed = statement
                .execute((
                    &row.id, expected(expected_revision, &row.id)?, row.revision, row.flow, row.run_status, row.current_step, row.save_on, row.document,
                ))?;
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
                let mut statement =
                    connection.prepare_cached("DELETE FROM session WHERE id = ?1")?;
                statement.execute([&id])?;
                return Ok(());
            };
            let mut statement =
                connection.prepare_cached("DELETE FROM session WHERE id = ?1 AND revision = ?2")?;
            let changed = statement.execute((&id, expected(revision, &id)?))?;
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
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_and_then(params_from_iter(values), |row| {
                summary(row).map_err(|error| match row.get(0) {
                    Ok(id) => unreadable(id, error),
                    Err(_) => error.into(),
                })
            })?;
            rows.collect()
        })
    }
}

/// What `sql` tells of the session with this id, if it is there.
fn column<T: FromSql>(connection: &Connection, sql: &str, id: &str) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([id], |row| row.get(0)).optional()
}

fn unreadable(session: String, error: impl Into<BoxError>) -> Fault {
    StoreError::Unreadable { session, source: error.into() }.into()
}

/// Whether the compare part of a compare-and-swap held.
fn one_row(changed: usize, session: String) -> Result<(), Fault> {
    if changed == 1 { Ok(()) } else { Err(StoreError::conflict(session).into()) }
}

/// A revision that cannot be stored is none that is.
fn expected(revision: u64, session: &str) -> Result<i64, Fault> {
    i64::try_from(revision).map_err(|_| StoreError::conflict(session).into())
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}
