//! What a caller of a service is told of a turn that failed: words for who talks to the service, not for who wrote it.

use crate::{TurnError, session::StoreError};

/// What is wrong, and what the caller can do about it. What went wrong inside (a model's or a store's own words) is for the
/// log.
pub(crate) fn told(error: &TurnError) -> String {
    match error {
        TurnError::UnknownFlow { flow } => {
            format!("there is no flow `{flow}`: take a name from the list of flows")
        }
        TurnError::UnknownSession { session } => {
            format!("session `{session}` does not exist: leave the session out to start a new one")
        }
        TurnError::EndedSession { session } => {
            format!("session `{session}` has ended: leave the session out to start a new one")
        }
        TurnError::FlowMismatch { session, actual, asked } => {
            format!(
                "session `{session}` belongs to flow `{actual}`, not to `{asked}`: name its flow"
            )
        }
        TurnError::Conflict { session } => format!(
            "session `{session}` was changed or removed by another request: nothing of this one was kept, try it again"
        ),
        TurnError::EmptyMessage => "the message is empty: send a text".to_owned(),
        TurnError::MessageTooLarge { bytes, limit } => {
            format!("the message has {bytes} bytes, the limit is {limit}: send less")
        }
        TurnError::InvalidToken { token } => {
            format!("the key `{token}` is not 1 to 128 visible ASCII characters: send a UUID")
        }
        TurnError::UsedToken { session } => format!(
            "the key is that of the first turn of session `{session}`, which has had other turns since: send a new session with a new key"
        ),
        TurnError::ReusedToken { token, .. } => format!(
            "the key `{token}` came before with another request: send a request again as it was, and each new one with a new key"
        ),
        TurnError::ConfigTooDeep { limit } => {
            format!("`config` has more than {limit} levels of objects and arrays: nest it less")
        }
        TurnError::ConfigMismatch { session } => {
            format!("session `{session}` began with another `config`: leave it out")
        }
        TurnError::Blocked { .. } => {
            "the model's provider refused to answer: say it in other words".to_owned()
        }
        TurnError::Cancelled => "the turn was cancelled, and nothing of it was kept".to_owned(),
        TurnError::TimedOut { .. } => "the turn took too long: try it again".to_owned(),
        TurnError::Model { .. } | TurnError::NoReply { .. } => {
            "the model gave no answer, and nothing of the turn was kept: try it again".to_owned()
        }
        TurnError::Store(StoreError::Unreadable { session, .. }) => {
            format!("session `{session}` cannot be read: leave the session out to start a new one")
        }
        TurnError::Store(_) | TurnError::Journal { .. } => {
            "the sessions cannot be reached: try it again".to_owned()
        }
        TurnError::SessionTooLarge { .. } => {
            "the session has no room for more: start a new one".to_owned()
        }
        TurnError::Limit { .. } => {
            "the turn went on for too long, and nothing of it was kept: try it again".to_owned()
        }
        _ => "the turn failed, and nothing of it was kept; the service's log says why".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Block, BlockPhase, BlockReason, ModelError},
        session::StoreError,
    };
    use std::time::Duration;

    #[test]
    fn callers_get_no_rust_and_no_internals() {
        let session = || "s-1".to_owned();
        let errors = [
            TurnError::UnknownFlow { flow: "F".into() },
            TurnError::UnknownSession { session: session() },
            TurnError::EndedSession { session: session() },
            TurnError::FlowMismatch { session: session(), actual: "F".into(), asked: "G".into() },
            TurnError::Invariant { session: session(), flow: "F".into(), reason: "s3cret".into() },
            TurnError::NewerSession { session: session(), what: "flow".into(), found: 2, known: 1 },
            TurnError::Migration {
                session: session(),
                flow: "F".into(),
                from: 1,
                to: 2,
                source: "s3cret".into(),
            },
            TurnError::Conflict { session: session() },
            TurnError::EmptyMessage,
            TurnError::MessageTooLarge { bytes: 2, limit: 1 },
            TurnError::InvalidToken { token: "t".into() },
            TurnError::UsedToken { session: session() },
            TurnError::ReusedToken { session: session(), token: "t".into() },
            TurnError::InvalidBatch { batch: "b".into(), reason: "s3cret".into() },
            TurnError::SessionTooLarge { session: session(), bytes: 2, limit: 1 },
            TurnError::ConfigTooDeep { limit: 100 },
            TurnError::ConfigMismatch { session: session() },
            TurnError::UnknownStep { target: "S".into(), flow: "F".into() },
            TurnError::Limit { step: "S".into(), what: "model rounds", limit: 16 },
            TurnError::Model { step: "S".into(), source: ModelError::permanent("s3cret") },
            TurnError::Blocked {
                step: "S".into(),
                block: Box::new(Block::new(BlockPhase::Prompt, BlockReason::Safety)),
            },
            TurnError::NoReply { step: "S".into(), attempts: 3, reason: "s3cret".into() },
            TurnError::Aborted { step: "S".into(), tool: "t".into(), source: "s3cret".into() },
            TurnError::Hook { step: "S".into(), hook: "prompt", source: "s3cret".into() },
            TurnError::Misuse { step: "S".into(), reason: "write `Cx::state`".into() },
            TurnError::Panicked { message: "s3cret".into() },
            TurnError::Cancelled,
            TurnError::TimedOut { limit: Duration::from_secs(1) },
            TurnError::Store(StoreError::failed("s3cret")),
            TurnError::Journal { key: "k".into(), source: "s3cret".into() },
        ];
        for error in errors {
            let text = told(&error);
            for word in ["::", "s3cret", "on_model", "()", "Limits", "alias", "token"] {
                assert!(!text.contains(word), "{}: {text}", error.code());
            }
        }
    }
}
