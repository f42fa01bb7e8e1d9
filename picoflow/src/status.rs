//! The HTTP status that tells what a turn's failure is.

use crate::{TurnError, session::StoreError};

/// The status for a failure of a turn.
pub(crate) const fn status(error: &TurnError) -> u16 {
    match error {
        TurnError::UnknownFlow { .. } | TurnError::UnknownSession { .. } => 404,
        TurnError::EndedSession { .. } => 410,
        TurnError::FlowMismatch { .. }
        | TurnError::Conflict { .. }
        | TurnError::UsedToken { .. }
        | TurnError::ConfigMismatch { .. } => 409,
        TurnError::EmptyMessage
        | TurnError::InvalidToken { .. }
        | TurnError::InvalidBatch { .. }
        | TurnError::ConfigTooDeep { .. } => 400,
        TurnError::MessageTooLarge { .. } => 413,
        TurnError::SessionTooLarge { .. } => 507,
        TurnError::Blocked { .. } | TurnError::ReusedToken { .. } => 422,
        TurnError::Model { .. } | TurnError::NoReply { .. } => 502,
        TurnError::TimedOut { .. } => 504,
        TurnError::Cancelled => 499,
        // It stays so.
        TurnError::Store(StoreError::Unreadable { .. }) => 500,
        TurnError::Store(_) | TurnError::Journal { .. } => 503,
        _ => 500,
    }
}
