//! Stored sessions: `sessions list`, `show` and `end`.

use super::{Ended, look, options::SessionsCommand, table::table, tell};
use crate::{
    BoxError, Engine, FlowId, TurnError,
    session::{Session, SessionQuery, SessionSummary, StoreError},
};
use serde_json::{Value, json};
use std::{
    io::{Write, stdout},
    process::ExitCode,
};

pub(super) async fn sessions(engine: &Engine, command: SessionsCommand) -> Ended {
    let text = match command {
        SessionsCommand::List { flow, status, after, limit, json } => {
            let flow: Option<FlowId> = flow.map(Into::into);
            let limit = limit.get();
            let query = SessionQuery { flow, status, after, limit, ..SessionQuery::default() };
            let found = engine.sessions(&query).await?;
            // The store may hold sessions of flows that are gone; without one, it is a typing error.
            if let Some(flow) = query.flow.filter(|_| found.is_empty()) {
                look::flow(engine, Some(flow.as_str()))?;
            }
            if let Some(last) = found.last().filter(|_| found.len() == limit) {
                tell(format_args!("there may be more: go on with `--after {}`", last.id));
            }
            if json { document(&found)? } else { overview(&found) }
        }
        SessionsCommand::Show { id } => {
            serde_json::to_string_pretty(&stored(engine, &id).await?)? + "\n"
        }
        SessionsCommand::End { id } => {
            match engine.session(&id).await {
                // What cannot be read is there, and its end is what is asked for.
                Ok(Some(_)) | Err(StoreError::Unreadable { .. }) => {}
                Ok(None) => return Err(TurnError::UnknownSession { session: id }.into()),
                Err(error) => return Err(error.into()),
            }
            engine.delete_session(&id).await?;
            format!("session `{id}` is removed\n")
        }
    };
    stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The session's document.
///
/// # Errors
/// When there is none.
pub(super) async fn stored(engine: &Engine, id: &str) -> Result<Session, BoxError> {
    let found = engine.session(id).await?;
    found.ok_or_else(|| TurnError::UnknownSession { session: id.to_owned() }.into())
}

fn overview(sessions: &[SessionSummary]) -> String {
    let rows = sessions.iter().map(|session| {
        [
            session.id.clone(),
            session.flow.to_string(),
            session.run_status.as_str().to_owned(),
            session.current_step.to_string(),
            session.save_on.to_string(),
        ]
    });
    let head = ["SESSION", "FLOW", "STATUS", "STEP", "SAVED"].map(str::to_owned);
    table(&[head].into_iter().chain(rows).collect::<Vec<_>>())
}

/// The fields have the names that they have over HTTP.
fn document(sessions: &[SessionSummary]) -> serde_json::Result<String> {
    let list: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "id": session.id,
                "revision": session.revision,
                "flow": session.flow,
                "runStatus": session.run_status,
                "currentStep": session.current_step,
                "createdOn": session.created_on,
                "saveOn": session.save_on,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&list)? + "\n")
}
