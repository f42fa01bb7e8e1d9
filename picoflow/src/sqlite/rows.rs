//! A session as the table holds it.

use picoflow_core::{
    FlowId, StepId,
    session::{Session, SessionQuery, SessionSummary, StoreError, Timestamp},
};
use rusqlite::{
    Error::{FromSqlConversionFailure, IntegralValueOutOfRange},
    Row,
    types::{Type, Value},
};
use std::str::FromStr;

/// A session as the table holds it.
pub(super) struct Record {
    pub(super) id: String,
    pub(super) revision: i64,
    pub(super) flow: String,
    pub(super) run_status: &'static str,
    pub(super) current_step: String,
    pub(super) created_on: String,
    pub(super) save_on: String,
    pub(super) document: String,
}

impl Record {
    pub(super) fn of(session: &Session) -> Result<Self, StoreError> {
        Ok(Self {
            id: session.id.clone(),
            revision: revision(session.revision)?,
            flow: session.flow.name.to_string(),
            run_status: session.run_status.as_str(),
            current_step: session.flow.current_step.to_string(),
            created_on: session.created_on.to_string(),
            save_on: session.save_on.to_string(),
            document: serde_json::to_string(session).map_err(StoreError::failed)?,
        })
    }
}

pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<SessionSummary> {
    let revision: i64 = row.get(1)?;
    Ok(SessionSummary {
        id: row.get(0)?,
        revision: u64::try_from(revision).map_err(|_| IntegralValueOutOfRange(1, revision))?,
        flow: FlowId::from(row.get::<_, String>(2)?),
        run_status: parsed(row, 3)?,
        current_step: StepId::from(row.get::<_, String>(4)?),
        created_on: parsed(row, 5)?,
        save_on: parsed(row, 6)?,
    })
}

fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: String = row.get(column)?;
    let text = text.parse();
    text.map_err(|error| FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

/// SQLite's integers are signed.
fn revision(revision: u64) -> Result<i64, StoreError> {
    i64::try_from(revision).map_err(StoreError::failed)
}

/// The statement that gives a page, and its values. It names only what is asked for, so that SQLite can use an index.
pub(super) fn page(query: &SessionQuery) -> (String, Vec<Value>) {
    let text = |time: Timestamp| time.to_string();
    let conditions = [
        ("flow = ?", query.flow.as_ref().map(FlowId::to_string)),
        ("run_status = ?", query.status.map(|status| status.as_str().to_owned())),
        // All times have one width, so that their texts sort as they do.
        ("save_on >= ?", query.saved_since.map(text)),
        ("save_on < ?", query.saved_before.map(text)),
        ("id > ?", query.after.clone()),
    ];
    let mut sql = "SELECT id, revision, flow, run_status, current_step, created_on, save_on \
                   FROM session WHERE TRUE"
        .to_owned();
    let mut values = Vec::new();
    for (condition, value) in conditions {
        if let Some(value) = value {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.push(value.into());
        }
    }
    sql.push_str(" ORDER BY id LIMIT ?");
    values.push(i64::try_from(query.limit).unwrap_or(i64::MAX).into());
    (sql, values)
}
