//! What can go wrong between the store and its file.

use picoflow_core::{BoxError, session::StoreError};
use rusqlite::{Error, ErrorCode};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What a call on the file came to.
pub(super) enum Fault {
    /// What has nothing to do with the file, such as a conflict.
    Store(StoreError),
    Reason(Reason),
}

/// The source of a `StoreError::Failed`. SQLite's own error is not kept where it holds the statement.
#[derive(Debug, thiserror::Error)]
#[error("SQLite file `{}`: {reason}", path.display())]
struct FileError {
    path: PathBuf,
    reason: Reason,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Reason {
    #[error("its directory cannot be made: {0}; give a path where this user may write")]
    Directory(io::Error),
    #[error(
        "it cannot be opened: {0}; give a path to a file in a directory where this user may write"
    )]
    Open(String),
    #[error("the path is empty: name a file, or keep sessions in memory by `MemoryStore`")]
    NoName,
    #[error("it was removed or replaced while it was in use: start the program again")]
    Gone,
    #[error("it is not a SQLite database: give another path")]
    NotADatabase,
    #[error("another program keeps it locked: end that program, or give another path")]
    Busy,
    #[error("it cannot be written: make the file and its directory writable for this user")]
    ReadOnly,
    #[error("the disk is full: make room")]
    Full,
    #[error("it is damaged ({0}): put a backup in its place")]
    Damaged(String),
    #[error(
        "it holds a table `session` {0}, which is not of picoflow: give picoflow a file of its own"
    )]
    Foreign(String),
    #[error(
        "it has no table `session` yet: call `SessionStore::prepare`, as the engine's build does"
    )]
    NoTable,
    #[error("{0}")]
    Sql(String),
    #[error(transparent)]
    Other(BoxError),
}

impl Fault {
    /// Whether somebody else was at work on the file, so that the same may succeed a moment later.
    pub(super) const fn is_busy(&self) -> bool {
        matches!(self, Self::Reason(Reason::Busy))
    }

    /// The error of a store in the file at `path`.
    pub(super) fn of_file(self, path: &Path) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Reason(reason) => StoreError::failed(FileError { path: path.to_owned(), reason }),
        }
    }

    pub(super) fn other(error: impl Into<BoxError>) -> Self {
        Self::Reason(Reason::Other(error.into()))
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Reason> for Fault {
    fn from(reason: Reason) -> Self {
        Self::Reason(reason)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let text = match &error {
            // Its own text repeats the statement.
            Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg)) => msg.clone(),
            error => error.to_string(),
        };
        Self::Reason(match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed,
            ) => Reason::Busy,
            Some(ErrorCode::NotADatabase) => Reason::NotADatabase,
            Some(ErrorCode::CannotOpen) => Reason::Open(text),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Reason::ReadOnly,
            Some(ErrorCode::DiskFull) => Reason::Full,
            Some(ErrorCode::DatabaseCorrupt) => Reason::Damaged(text),
            _ if text == "no such table: session" => Reason::NoTable,
            _ => Reason::Sql(text),
        })
    }
}
