//! A session as the table holds it.

use super::{Statement, error::Fault, holds_nul};
use picoflow_core::{
    FlowId, StepId,
    session::{RunStatus, Session, SessionQuery, SessionSummary, StoreError, Timestamp},
};
use sqlx::{Postgres, QueryBuilder, Row, postgres::PgRow};
use std::str::FromStr;

/// What a row is written from, in the order of the parameters.
pub(super) struct Record<'a> {
    id: &'a str,
    flow: &'a str,
    run_status: RunStatus,
    current_step: &'a str,
    created_on: Timestamp,
    save_on: Timestamp,
    revision: i64,
    document: String,
}

impl<'a> Record<'a> {
    pub(super) fn of(session: &'a Session) -> Result<Self, StoreError> {
        let record = Self {
            id: &session.id,
            flow: session.flow.name.as_str(),
            run_status: session.run_status,
            current_step: session.flow.current_step.as_str(),
            created_on: session.created_on,
            save_on: session.save_on,
            revision: i64::try_from(session.revision).map_err(StoreError::failed)?,
            document: serde_json::to_string(session).map_err(StoreError::failed)?,
        };
        let columns =
            [("id", record.id), ("flow", record.flow), ("current step", record.current_step)];
        match columns.into_iter().find(|(_, text)| holds_nul(text)) {
            Some((column, _)) => Err(StoreError::failed(Fault::Nul(column))),
            None => Ok(record),
        }
    }

    /// The first eight parameters of a statement.
    pub(super) fn bind(&self, statement: Statement) -> Statement {
        statement
            .bind(self.id)
            .bind(self.flow)
            .bind(self.run_status.as_str())
            .bind(self.current_step)
            .bind(self.created_on.to_string())
            .bind(self.save_on.to_string())
            .bind(self.revision)
            .bind(&self.document)
    }
}

/// The statement that gives a page, or nothing if no row can match. It names only what is asked for: a plan that has to
/// serve every filter would use no index.
pub(super) fn page(query: &SessionQuery) -> Option<QueryBuilder<Postgres>> {
    let flow = query.flow.as_ref().map(FlowId::as_str);
    if flow.is_some_and(holds_nul) {
        return None;
    }
    let time = r#"'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"#;
    let mut sql = QueryBuilder::new(format!(
        "SELECT id, revision, flow, run_status, current_step,
             to_char(created_on AT TIME ZONE 'UTC', {time}) AS created,
             to_char(save_on AT TIME ZONE 'UTC', {time}) AS saved
         FROM picoflow_session WHERE true"
    ));
    if let Some(flow) = flow {
        sql.push(" AND flow = ").push_bind(flow);
    }
    if let Some(status) = query.status {
        sql.push(" AND run_status = ").push_bind(status.as_str());
    }
    if let Some(since) = query.saved_since {
        sql.push(" AND save_on >= ").push_bind(since.to_string()).push("::timestamptz");
    }
    if let Some(before) = query.saved_before {
        sql.push(" AND save_on < ").push_bind(before.to_string()).push("::timestamptz");
    }
    // No stored id holds U+0000, so that those behind `a`, U+0000 and whatever follows are those behind `a`.
    if let Some(after) = query.after.as_ref().and_then(|after| after.split('\0').next()) {
        sql.push(" AND id > ").push_bind(after);
    }
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    sql.push(" ORDER BY id LIMIT ").push_bind(limit);
    Some(sql)
}

pub(super) fn summary(row: &PgRow) -> Result<SessionSummary, sqlx::Error> {
    let revision: i64 = row.try_get("revision")?;
    Ok(SessionSummary {
        id: row.try_get("id")?,
        revision: u64::try_from(revision).map_err(unreadable)?,
        flow: FlowId::from(row.try_get::<String, _>("flow")?),
        run_status: parsed(row, "run_status")?,
        current_step: StepId::from(row.try_get::<String, _>("current_step")?),
        created_on: parsed(row, "created")?,
        save_on: parsed(row, "saved")?,
    })
}

fn parsed<T>(row: &PgRow, column: &str) -> Result<T, sqlx::Error>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    row.try_get::<&str, _>(column)?.parse().map_err(unreadable)
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}
