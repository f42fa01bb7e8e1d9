//! The back end that pays: each order once, under the key of the tool call that asked for it, so that the same call of a turn
//! that is run again finds its own refund; and what a supervisor has said to large ones.

#[cfg(feature = "postgres")]
use picoflow::sqlx;
use picoflow::{BoxError, BoxFuture};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::{Arc, Mutex, PoisonError};

/// Where refunds are kept.
pub(crate) trait Ledger: Send + Sync {
    /// Pays, unless the order is refunded already. Returns whether the refund is of this key, from now or from before.
    fn refund<'a>(&'a self, key: &'a str, order: &'a str, cents: i64) -> Answer<'a, bool>;

    /// Asks a supervisor, unless somebody has before.
    fn ask<'a>(&'a self, order: &'a str, cents: i64) -> Answer<'a, ()>;

    /// What the supervisor says: nothing as yet, yes, or no.
    fn decision<'a>(&'a self, order: &'a str) -> Answer<'a, Option<bool>>;

    /// The supervisor decides. Returns whether there was something to decide.
    fn decide<'a>(&'a self, order: &'a str, is_approved: bool) -> Answer<'a, bool>;

    /// What was paid for an order, in cents.
    fn refunded<'a>(&'a self, order: &'a str) -> Answer<'a, i64>;
}

pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, BoxError>>;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS refunds (order_id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, cents BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS approvals (order_id TEXT PRIMARY KEY, cents BIGINT NOT NULL, is_approved BOOLEAN);
";

/// In a SQLite file.
#[derive(Clone)]
pub(crate) struct SqliteLedger(Arc<Mutex<Connection>>);

impl SqliteLedger {
    pub(crate) fn open(path: &std::path::Path) -> Result<Self, BoxError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.execute_batch(TABLES)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// On a thread that may wait for the disk.
    fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answer<'static, T> {
        let connection = Arc::clone(&self.0);
        Box::pin(async move {
            let work = move || work(&connection.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(tokio::task::spawn_blocking(work).await??)
        })
    }
}

impl Ledger for SqliteLedger {
    fn refund<'a>(&'a self, key: &'a str, order: &'a str, cents: i64) -> Answer<'a, bool> {
        let (key, order) = (key.to_owned(), order.to_owned());
        self.with(move |connection| {
            let insert =
                "INSERT INTO refunds VALUES (?1, ?2, ?3) ON CONFLICT (order_id) DO NOTHING";
            connection.execute(insert, params![order, key, cents])?;
            let select = "SELECT key = ?2 FROM refunds WHERE order_id = ?1";
            connection.query_row(select, params![order, key], |row| row.get(0))
        })
    }

    fn ask<'a>(&'a self, order: &'a str, cents: i64) -> Answer<'a, ()> {
        let order = order.to_owned();
        self.with(move |connection| {
            let insert =
                "INSERT INTO approvals VALUES (?1, ?2, NULL) ON CONFLICT (order_id) DO NOTHING";
            connection.execute(insert, params![order, cents]).map(drop)
        })
    }

    fn decision<'a>(&'a self, order: &'a str) -> Answer<'a, Option<bool>> {
        let order = order.to_owned();
        self.with(move |connection| {
            let select = "SELECT is_approved FROM approvals WHERE order_id = ?1";
            let found = connection.query_row(select, [order], |row| row.get::<_, Option<bool>>(0));
            Ok(found.optional()?.flatten())
        })
    }

    fn decide<'a>(&'a self, order: &'a str, is_approved: bool) -> Answer<'a, bool> {
        let order = order.to_owned();
        self.with(move |connection| {
            let update =
                "UPDATE approvals SET is_approved = ?2 WHERE order_id = ?1 AND is_approved IS NULL";
            Ok(connection.execute(update, params![order, is_approved])? == 1)
        })
    }

    fn refunded<'a>(&'a self, order: &'a str) -> Answer<'a, i64> {
        let order = order.to_owned();
        self.with(move |connection| {
            let select = "SELECT cents FROM refunds WHERE order_id = ?1";
            Ok(connection.query_row(select, [order], |row| row.get(0)).optional()?.unwrap_or(0))
        })
    }
}

/// In a PostgreSQL database.
#[cfg(feature = "postgres")]
#[derive(Clone)]
pub(crate) struct PostgresLedger(sqlx::PgPool);

#[cfg(feature = "postgres")]
impl PostgresLedger {
    pub(crate) async fn connect(url: &str) -> Result<Self, BoxError> {
        let pool = sqlx::PgPool::connect(url).await?;
        sqlx::raw_sql(TABLES).execute(&pool).await?;
        Ok(Self(pool))
    }
}

#[cfg(feature = "postgres")]
impl Ledger for PostgresLedger {
    fn refund<'a>(&'a self, key: &'a str, order: &'a str, cents: i64) -> Answer<'a, bool> {
        Box::pin(async move {
            let insert =
                "INSERT INTO refunds VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING";
            sqlx::query(insert).bind(order).bind(key).bind(cents).execute(&self.0).await?;
            let select = "SELECT key = $2 FROM refunds WHERE order_id = $1";
            Ok(sqlx::query_scalar(select).bind(order).bind(key).fetch_one(&self.0).await?)
        })
    }

    fn ask<'a>(&'a self, order: &'a str, cents: i64) -> Answer<'a, ()> {
        Box::pin(async move {
            let insert =
                "INSERT INTO approvals VALUES ($1, $2, NULL) ON CONFLICT (order_id) DO NOTHING";
            sqlx::query(insert).bind(order).bind(cents).execute(&self.0).await?;
            Ok(())
        })
    }

    fn decision<'a>(&'a self, order: &'a str) -> Answer<'a, Option<bool>> {
        Box::pin(async move {
            let select = "SELECT is_approved FROM approvals WHERE order_id = $1";
            let found = sqlx::query_scalar::<_, Option<bool>>(select).bind(order);
            Ok(found.fetch_optional(&self.0).await?.flatten())
        })
    }

    fn decide<'a>(&'a self, order: &'a str, is_approved: bool) -> Answer<'a, bool> {
        Box::pin(async move {
            let update =
                "UPDATE approvals SET is_approved = $2 WHERE order_id = $1 AND is_approved IS NULL";
            let done = sqlx::query(update).bind(order).bind(is_approved).execute(&self.0).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    fn refunded<'a>(&'a self, order: &'a str) -> Answer<'a, i64> {
        Box::pin(async move {
            let select = "SELECT cents FROM refunds WHERE order_id = $1";
            let found = sqlx::query_scalar(select).bind(order).fetch_optional(&self.0).await?;
            Ok(found.unwrap_or(0))
        })
    }
}
