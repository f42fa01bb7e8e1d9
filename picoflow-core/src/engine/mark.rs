//! How a turn is known again when it is sent again.

use super::Turn;
use crate::{
    FlowId, TurnError,
    session::{Image, LastTurn, Session},
};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{fmt::Write as _, io};

/// A turn's token and a digest of what the turn was sent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) token: String,
    pub(super) digest: String,
}

/// What a turn says, besides its token.
#[derive(Serialize)]
struct Said<'a> {
    flow: &'a FlowId,
    session: Option<&'a str>,
    message: Option<&'a str>,
    images: &'a [Image],
    /// `null` is not the same as none.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Value>,
}

impl Mark {
    /// The mark of a turn that has a token.
    pub(super) fn of(turn: &Turn) -> Option<Self> {
        let token = turn.token.clone()?;
        // An object is the same whatever the order of its keys.
        let config = turn.config.clone().map(|mut config| {
            config.sort_all_objects();
            config
        });
        let said = Said {
            flow: &turn.flow,
            // The token of a first turn is its session.
            session: turn.session.as_deref().or(turn.token.as_deref()),
            message: turn.message.as_deref(),
            images: &turn.images,
            config,
        };
        let mut hash = Hash(Sha256::new());
        // Texts, numbers and objects can be written as JSON, and a hash takes whatever it is given.
        drop(serde_json::to_writer(&mut hash, &said));
        let digest = hash.0.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Some(Self { token, digest })
    }

    /// Whether this is the session's last turn, sent again.
    ///
    /// # Errors
    /// When it has the last turn's token and says something else.
    pub(super) fn is_of(&self, session: &Session, last: &LastTurn) -> Result<bool, TurnError> {
        if last.token != self.token {
            return Ok(false);
        }
        if last.digest.as_ref().is_none_or(|digest| *digest == self.digest) {
            return Ok(true);
        }
        Err(TurnError::ReusedToken { session: session.id.clone(), token: self.token.clone() })
    }
}

struct Hash(Sha256);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    fn digest(turn: Turn) -> String {
        Mark::of(&turn.token("t")).unwrap().digest
    }

    #[test]
    fn turns_that_say_different_things_have_different_digests() {
        let turn = || Turn::new("F").message("Hi");
        let turns = [
            turn(),
            Turn::new("F"),
            Turn::new("G").message("Hi"),
            turn().message("Hi "),
            turn().session("s"),
            turn().session("S"),
            turn().config(json!(null)),
            turn().config(json!({})),
            turn().config(json!({ "a": 1 })),
            turn().config(json!({ "a": "1" })),
            turn().image(Image::url("image/png", "https://example.com/a")),
            turn().image(Image::url("image/gif", "https://example.com/a")),
            turn().image(Image::data("image/png", "https://example.com/a")),
        ];
        let count = turns.len();
        let digests: HashSet<_> = turns.into_iter().map(digest).collect();
        assert_eq!(digests.len(), count);
    }

    #[test]
    fn order_of_keys_limits_and_token_make_no_difference() {
        let one = Turn::new("F")
            .session("s")
            .config(json!({ "a": 1, "b": { "c": 2, "d": [{ "e": 1, "f": 2 }] } }));
        let two = Turn::new("F")
            .session("s")
            .config(json!({ "b": { "d": [{ "f": 2, "e": 1 }], "c": 2 }, "a": 1 }));
        let two = two.timeout(std::time::Duration::from_secs(1));
        assert_eq!(
            Mark::of(&one.token("1")).unwrap().digest,
            Mark::of(&two.token("2")).unwrap().digest
        );
    }

    #[test]
    fn digest_stays_the_same_between_versions() {
        let turn = Turn::new("F").session("s-1").message("Hi").config(json!({ "a": 1 }));
        let expected = "b3ca551d38d50463b37210968fdff591b83653b6b568b19672ca27abba91d1fd";
        assert_eq!(digest(turn), expected);
    }

    #[test]
    fn first_turn_may_come_again_with_its_session() {
        let turn = || Turn::new("F").message("Hi");
        assert_eq!(digest(turn()), digest(turn().session("t")));
    }

    #[test]
    fn turn_without_token_has_no_mark() {
        assert_eq!(Mark::of(&Turn::new("F").message("Hi")), None);
    }
}
