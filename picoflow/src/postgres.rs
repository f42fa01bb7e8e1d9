//! Sessions in a PostgreSQL database.

mod connection;
mod error;
mod migrations;
mod rows;

use connection::Lease;
use error::{Fault, is_to_be_repeated};
use picoflow_core::{
    BoxFuture,
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};
use rows::Record;
use sqlx::{
    Decode, PgPool, Postgres, Type,
    postgres::{PgArguments, PgConnectOptions, PgPoolOptions},
    query::Query,
};
use std::{fmt, time::Duration};

/// Keeps sessions in a PostgreSQL database (version 12 or later), which the processes of many machines may share.
///
/// The engine's build makes the table `picoflow_session` in the first schema of the connection's `search_path`, and
/// brings an older one up to date; one process does it while the others wait. The document is there twice: as text,
/// which is what the store reads and gives back to the letter, and as `jsonb`, which the database derives for queries.
///
/// Whatever the database or the connection fails with is [`StoreError::Failed`]; its text names the database and its host,
/// and never holds the password. A
/// connection that broke is replaced by the pool. Needs a tokio runtime with I/O and timers, as the engine does.
///
#[doc = include_str!("docs/postgres.md")]
#[derive(Clone)]
pub struct PostgresStore {
    pool: PgPool,
    timeout: Duration,
}

/// How long [`PostgresStore::connect`]'s pool waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(5);

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(30);

impl PostgresStore {
    /// Connects to the database of a URL: `postgres://user:password@host:5432/database`.
    ///
    /// The pool has up to ten connections, and a call waits up to five seconds for one of them. `sslmode=verify-full`
    /// in the URL demands TLS and checks the server's name, against the public authorities or the file of
    /// `sslrootcert=`; without a mode, TLS is used where the server offers it. For other limits bring a
    /// [pool of your own](Self::new).
    /// See [`PostgresStore`] for an example.
    ///
    /// # Errors
    /// When the URL is none, or the server cannot be reached or refuses.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        // sqlx takes any scheme: of `user:password@host`, the password is a part of the database's name to it.
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err(StoreError::failed(Fault::Url));
        }
        let options: PgConnectOptions = url.parse().map_err(|_| StoreError::failed(Fault::Url))?;
        let pool = PgPoolOptions::new().acquire_timeout(ACQUIRE);
        let pool = pool.connect_with(options.clone()).await;
        pool.map(Self::new).map_err(|error| Fault::from(error).of_database(&options))
    }

    /// Uses a pool that is there already, which it may share with the rest of the program.
    ///
    /// The pool's type is of the crate version re-exported as `picoflow::sqlx`.
    /// See [`PostgresStore`] for an example.
    pub const fn new(pool: PgPool) -> Self {
        Self { pool, timeout: TIMEOUT }
    }

    /// How long one call may take, the wait for a connection included: 30 seconds if nothing is said. A connection whose
    /// call takes longer is given up.
    /// See [`PostgresStore`] for an example.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Does `work`, for no longer than a call may take.
    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, StoreError> {
        let result = tokio::time::timeout(self.timeout, work).await;
        let result = result.unwrap_or(Err(Fault::TimedOut(self.timeout)));
        result.map_err(|fault| fault.of_database(&self.pool.connect_options()))
    }

    /// What `sql` tells of the session with this id, if it is there.
    async fn column<T>(&self, sql: &'static str, id: &str) -> Result<Option<T>, StoreError>
    where
        T: for<'r> Decode<'r, Postgres> + Type<Postgres> + Send + Unpin,
    {
        if holds_nul(id) {
            return Ok(None);
        }
        self.within(async {
            let mut lease = Lease::of(&self.pool).await?;
            let query = sqlx::query_scalar(sql);
            let result = query.bind(id).fetch_optional(&mut *lease.connection).await;
            lease.end();
            Ok(result?)
        })
        .await
    }

    /// Runs a statement that changes the one row it is about, or none if somebody else was faster.
    async fn swap(
        &self,
        id: &str,
        statement: impl Fn() -> Statement + Send + Sync,
    ) -> Result<(), StoreError> {
        let changed = self
            .within(async {
                let mut lease = Lease::of(&self.pool).await?;
                let result = loop {
                    match statement().execute(&mut *lease.connection).await {
                        Err(error) if is_to_be_repeated(&error) => {}
                        result => break result,
                    }
                };
                lease.end();
                Ok(result?.rows_affected())
            })
            .await?;
        if changed == 1 { Ok(()) } else { Err(StoreError::conflict(id)) }
    }
}

type Statement = Query<'static, Postgres, PgArguments>;

impl SessionStore for PostgresStore {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.within(async {
            let mut lease = Lease::of(&self.pool).await?;
            let result = migrations::run(&mut lease.connection).await;
            lease.end();
            result
        }))
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        Box::pin(async move {
            let sql = "SELECT document_text FROM picoflow_session WHERE id = $1";
            let document: Option<String> = self.column(sql, id).await?;
            let session = document.map(|document| serde_json::from_str(&document)).transpose();
            session.map_err(|error| StoreError::Unreadable {
                session: id.to_owned(),
                source: error.into(),
            })
        })
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let sql = "SELECT revision FROM picoflow_session WHERE id = $1";
            let revision: Option<i64> = self.column(sql, id).await?;
            revision.map(u64::try_from).transpose().map_err(StoreError::failed)
        })
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let row = Record::of(session)?;
            let statement = || {
                row.bind(sqlx::query(
                    "INSERT INTO picoflow_session
                         (id, flow, run_status, current_step, created_on, save_on, revision, document_text)
                     VALUES ($1, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7, $8)
                     ON CONFLICT (id) DO NOTHING",
                ))
            };
            self.swap(&session.id, statement).await
        })
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let row = Record::of(session)?;
            let expected = expected(expected_revision, &session.id)?;
            let statement = || {
                row.bind(sqlx::query(
                    "UPDATE picoflow_session
                     SET flow = $2, run_status = $3, current_step = $4, created_on = $5::timestamptz,
                         save_on = $6::timestamptz, revision = $7, document_text = $8
                     WHERE id = $1 AND revision = $9",
                ))
                .bind(expected)
            };
            self.swap(&session.id, statement).await
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let expected = expected_revision.map(|revision| expected(revision, id)).transpose()?;
            let statement = || {
                sqlx::query(
                    "DELETE FROM picoflow_session WHERE id = $1 AND ($2 IS NULL OR revision = $2)",
                )
                .bind(id)
                .bind(expected)
            };
            let deleted = if holds_nul(id) {
                Err(StoreError::conflict(id))
            } else {
                self.swap(id, statement).await
            };
            match deleted {
                // Nothing was there.
                Err(StoreError::Conflict { .. }) if expected.is_none() => Ok(()),
                deleted => deleted,
            }
        })
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        Box::pin(async move {
            let Some(mut page) = rows::page(query) else { return Ok(Vec::new()) };
            self.within(async {
                let mut lease = Lease::of(&self.pool).await?;
                let rows = page.build().fetch_all(&mut *lease.connection).await;
                lease.end();
                let summaries = rows?.iter().map(rows::summary).collect::<Result<_, _>>();
                Ok(summaries?)
            })
            .await
        })
    }
}

/// PostgreSQL keeps every character but U+0000 in a text. No id that holds one can have been stored.
fn holds_nul(text: &str) -> bool {
    text.contains('\0')
}

/// A revision that cannot be stored is none that is.
fn expected(revision: u64, session: &str) -> Result<i64, StoreError> {
    i64::try_from(revision).map_err(|_| StoreError::conflict(session))
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the connection's options, which hold the password.
        f.debug_struct("PostgresStore")
            .field("connections", &self.pool.size())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
