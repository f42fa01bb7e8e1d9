//! Who calls, and which sessions are theirs.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use uuid::Uuid;

/// Who sent a request.
///
/// A user's sessions have ids that begin with a digest of the user's name, so that every store keeps the users apart, and
/// an id gives nobody's name away.
///
/// ```
/// use picoflow::{prelude::*, server::Caller};
///
/// let ann = Caller::user("ann@example.com").config(json!({ "customer": 4711 }));
/// assert_ne!(ann, Caller::user("ann@example.com"));
/// assert_ne!(ann, Caller::operator());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Caller {
    kind: Kind,
    pub(super) config: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Of a service that is open: it keeps nobody apart.
    Anyone,
    /// With what the ids of the own sessions begin with.
    User(String),
    Operator,
}

impl Caller {
    /// Whoever has this name: of any length, and the same at each request.
    /// See [`Caller`] for an example.
    pub fn user(name: impl AsRef<str>) -> Self {
        Self { kind: Kind::User(hex(&Sha256::digest(name.as_ref())[..16]) + "."), config: None }
    }

    /// Somebody who may see and use all sessions, and look inside.
    /// See [`Caller`] for an example.
    pub const fn operator() -> Self {
        Self { kind: Kind::Operator, config: None }
    }

    /// What the caller's new sessions are started with, in place of what a request says: see
    /// [`Turn::config`](crate::Turn::config). This is how a flow gets to know whom it talks to, since it must not believe a
    /// request.
    /// See [`Caller`] for an example.
    pub fn config(mut self, config: impl Into<Value>) -> Self {
        self.config = Some(config.into());
        self
    }

    pub(super) const fn anyone() -> Self {
        Self { kind: Kind::Anyone, config: None }
    }

    pub(super) const fn is_operator(&self) -> bool {
        matches!(self.kind, Kind::Operator)
    }

    /// What the ids of the caller's sessions begin with; nothing, where the service does not keep its callers apart.
    pub(super) fn scope(&self) -> Option<&str> {
        match &self.kind {
            Kind::Anyone => None,
            Kind::User(scope) => Some(scope),
            Kind::Operator => Some(""),
        }
    }

    /// Whether the session is open to the caller.
    pub(super) fn may_use(&self, session: &str) -> bool {
        self.scope().is_none_or(|scope| session.starts_with(scope))
    }

    /// The id of a new session, made of the key of the request that starts it, if it has one.
    pub(super) fn new_session(&self, key: Option<&str>) -> String {
        let scope = self.scope().unwrap_or_default();
        match key {
            Some(key) => format!("{scope}{key}"),
            None => format!("{scope}{}", Uuid::new_v4()),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_open_to_its_user_and_to_operators_alone() {
        let (ann, bob) = (Caller::user("ann"), Caller::user("bob"));
        let session = ann.new_session(None);
        assert!(ann.may_use(&session));
        assert!(!bob.may_use(&session));
        assert!(Caller::operator().may_use(&session));
        assert!(!ann.may_use("s-1"), "a session that no user started");
    }

    #[test]
    fn the_longest_key_and_the_longest_name_make_a_valid_id() {
        let id = Caller::user("x".repeat(10_000)).new_session(Some(&"k".repeat(64)));
        assert_eq!(id.len(), 97);
        assert!(id.bytes().all(|byte| byte.is_ascii_graphic()));
    }

    #[test]
    fn a_name_that_is_the_begin_of_another_is_another_user() {
        let session = Caller::user("ann.b").new_session(Some("0123456789abcdef"));
        assert!(!Caller::user("ann").may_use(&session));
        assert!(!Caller::user("").may_use(&session));
    }
}
