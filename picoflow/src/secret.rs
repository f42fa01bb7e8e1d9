//! Keys, and texts without them.

mod redact;

pub(crate) use redact::{beginning, redact, redact_all};

use std::fmt;

/// A key that no `Debug` shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// The key, if it is none that an answer would hold by chance.
    pub(crate) fn sought(&self) -> Option<&str> {
        /// Keys that are shorter are words, such as `lm-studio`, which a model may well say.
        const SHORTEST: usize = 16;
        Some(self.reveal()).filter(|key| key.len() >= SHORTEST)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(GAP)
    }
}

/// What stands in place of a key.
pub(crate) const GAP: &str = "…";

/// Keys that are shorter are words, such as the `none` that local servers are given.
const SHORTEST: usize = 6;

/// `text` without the keys, wherever somebody quotes them, and no longer than an error should be.
///
/// An end that is the beginning of a key goes too: the text may have been cut within it.
pub(crate) fn scrubbed(text: &str, keys: &[Secret]) -> String {
    const MOST_CHARACTERS: usize = 1_000;
    let mut text = text.to_owned();
    for key in keys.iter().map(Secret::reveal).filter(|key| key.len() >= SHORTEST) {
        redact(&mut text, key);
        let cut = beginning(&text, key);
        if cut >= SHORTEST {
            text.truncate(text.len() - cut);
            text.push_str(GAP);
        }
    }
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    #[test]
    fn a_key_is_neither_shown_nor_quoted() {
        let key = Secret::new("sk-planted");
        assert_eq!(format!("{key:?}"), "…");
        assert_eq!(
            scrubbed("no such key: sk-planted, sk-planted!", slice::from_ref(&key)),
            "no such key: …, …!"
        );
        assert_eq!(scrubbed("none of it", &[Secret::new("none")]), "none of it");
    }

    #[test]
    fn a_key_that_is_cut_is_not_quoted_either() {
        let key = Secret::new("sk-planted-é");
        assert_eq!(scrubbed("no such key: sk-plante", slice::from_ref(&key)), "no such key: …");
        assert_eq!(scrubbed("no such key: sk-p", slice::from_ref(&key)), "no such key: sk-p");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(scrubbed(&"é".repeat(5_000), &[]).chars().count(), 1_001);
    }
}
