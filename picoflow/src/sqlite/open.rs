//! How a file is opened and gets its table, also by many processes at once.

use super::{
    create::{create, is_file},
    error::{Fault, Reason},
};
use rusqlite::{Connection, Transaction, TransactionBehavior::Immediate};
use std::{
    fs,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

/// How long a statement waits for another process's write.
const BUSY: Duration = Duration::from_secs(5);

/// How long opening a file and making its table may take, while other processes do the same.
const OPENING: Duration = Duration::from_secs(30);

/// The wait between two attempts at what SQLite does not wait for itself.
const PAUSE: Duration = Duration::from_millis(10);

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

/// The columns of the table.
const COLUMNS: [&str; 8] =
    ["id", "revision", "flow", "run_status", "current_step", "created_on", "save_on", "document"];

/// Opens the file, and makes it and its directory if they are not there.
pub(super) fn open(path: &Path) -> Result<Connection, Fault> {
    if path.as_os_str().is_empty() {
        // SQLite would make a database that is gone with the program.
        return Err(Reason::NoName.into());
    }
    if is_file(path) {
        if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(directory).map_err(Reason::Directory)?;
        }
        create(path);
    }
    patiently(|| {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        // `WAL` lets readers and one writer work side by side; `FULL` keeps a committed turn through a power cut. SQLite
        // does not wait for the lock that the change of mode needs.
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
        Ok(connection)
    })
}

/// Makes the table and its indices, unless they are there.
pub(super) fn prepare(connection: &Connection) -> Result<(), Fault> {
    patiently(|| {
        if is_ready(connection)? {
            return Ok(());
        }
        // Of several processes one goes on, and the others find its work done.
        let transaction = Transaction::new_unchecked(connection, Immediate)?;
        check_table(&transaction)?;
        transaction.execute_batch(SCHEMA)?;
        Ok(transaction.commit()?)
    })
}

/// Whether nothing is left to be made.
fn is_ready(connection: &Connection) -> Result<bool, Fault> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN \
               ('session', 'session_by_flow_and_status', 'session_by_save_time')";
    let known: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    if known > 0 {
        check_table(connection)?;
    }
    Ok(known == 3)
}

/// Refuses a table of this name that somebody else made.
fn check_table(connection: &Connection) -> Result<(), Fault> {
    let sql =
        "SELECT name, \"notnull\" AND dflt_value IS NULL, pk FROM pragma_table_info('session')";
    let mut statement = connection.prepare(sql)?;
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let columns: Vec<(String, bool, bool)> = columns.collect::<Result<_, _>>()?;
    if columns.is_empty() {
        return Ok(());
    }
    let is_there = |column: &str| columns.iter().any(|(known, ..)| known == column);
    if let Some(missing) = COLUMNS.into_iter().find(|column| !is_there(column)) {
        return Err(Reason::Foreign(format!("without the column `{missing}`")).into());
    }
    if !columns.iter().any(|(name, _, is_key)| *is_key && name == "id") {
        return Err(Reason::Foreign("whose key is not `id`".to_owned()).into());
    }
    let is_known = |name: &str| COLUMNS.contains(&name);
    match columns.iter().find(|(name, is_needed, _)| *is_needed && !is_known(name)) {
        Some((name, ..)) => {
            Err(Reason::Foreign(format!("that needs a value of a column `{name}`")).into())
        }
        None => Ok(()),
    }
}

/// Does `work` again while other processes are at work on the file.
fn patiently<T>(work: impl Fn() -> Result<T, Fault>) -> Result<T, Fault> {
    let start = Instant::now();
    loop {
        match work() {
            Err(fault) if fault.is_busy() && start.elapsed() < OPENING => sleep(PAUSE),
            ended => return ended,
        }
    }
}
