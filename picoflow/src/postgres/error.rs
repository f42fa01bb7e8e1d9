//! What can go wrong between the store and its database.

use picoflow_core::session::StoreError;
use sqlx::{error::DatabaseError, migrate::MigrateError, postgres::PgConnectOptions};
use std::time::Duration;

/// The source of a `StoreError::Failed`.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    // What is wrong with it is not said: it would be shown with a part of the URL, which may be the password.
    #[error(
        "the URL of the database cannot be read: write postgres://user:password@host:5432/database, \
         with sslmode=verify-full or another mode of PostgreSQL, and special characters as %XX"
    )]
    Url,
    #[error(
        "no connection to PostgreSQL in time: the server does not answer, or all connections of the pool are in use"
    )]
    NoConnection,
    #[error("PostgreSQL did not answer within {0:?}; whether a write was made is not known")]
    TimedOut(Duration),
    #[error("PostgreSQL cannot keep U+0000 in an id, and the {0} of this session holds one")]
    Nul(&'static str),
    #[error("the database's encoding is {0}; sessions need one of encoding UTF8")]
    Encoding(String),
    #[error(
        "the table `picoflow_session` is of a newer picoflow (migration {0}): use that version, or another schema"
    )]
    Newer(i64),
    #[error(
        "the schema holds a table `picoflow_session` that is not of picoflow: use another schema, such as by \
         options=-csearch_path%3Dpicoflow in the URL"
    )]
    Foreign,
    #[error("the table `picoflow_session` could not be brought up to date: {0}")]
    Migration(#[source] MigrateError),
    #[error(
        "PostgreSQL: {0}; a pooler between here and the server has to know prepared statements, or to run in session mode"
    )]
    Pooler(#[source] sqlx::Error),
    #[error("PostgreSQL: {0}")]
    Sql(#[source] sqlx::Error),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::NoConnection,
            // A statement of this name is there already, or is not there any more.
            error if has_code(&error, "42P05") || has_code(&error, "26000") => Self::Pooler(error),
            error => Self::Sql(error),
        }
    }
}

impl From<MigrateError> for Fault {
    fn from(error: MigrateError) -> Self {
        match &error {
            // The table is there already, and no migration made it.
            MigrateError::ExecuteMigration(cause, 1) if has_code(cause, "42P07") => Self::Foreign,
            _ => Self::Migration(error),
        }
    }
}

/// A fault with the database that it is of.
#[derive(Debug, thiserror::Error)]
#[error("database {database}: {fault}")]
struct OfDatabase {
    database: String,
    #[source]
    fault: Fault,
}

impl Fault {
    /// The error of a store in the database that `options` lead to. It names neither user nor password.
    pub(super) fn of_database(self, options: &PgConnectOptions) -> StoreError {
        // What PostgreSQL takes where no database is named.
        let name = options.get_database().unwrap_or_else(|| options.get_username());
        // What a slash in the wrong place makes a name of may be the password.
        let name = if name.contains(['@', ':', '/']) { "…" } else { name };
        let database = match options.get_socket() {
            Some(socket) => format!("`{name}` at {}", socket.display()),
            None => format!("`{name}` at {}:{}", options.get_host(), options.get_port()),
        };
        StoreError::failed(OfDatabase { database, fault: self })
    }
}

/// Whether the server gave up a statement since it could not be put in an order with others that ran at the same time.
/// Where the database's default isolation is above `read committed` it may do so for rows nobody shares, and the same
/// statement succeeds the next time.
pub(super) fn is_to_be_repeated(error: &sqlx::Error) -> bool {
    has_code(error, "40001")
}

fn has_code(error: &sqlx::Error, expected: &str) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == expected)
}
