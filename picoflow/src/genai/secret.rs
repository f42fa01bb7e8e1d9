//! Keys, and texts without them.

use std::fmt;

/// A key that no `Debug` shows.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Keys that are shorter are words, such as the `none` that local servers are given.
const SHORTEST: usize = 6;

/// `text` without the key, wherever somebody quotes it, and no longer than an error should be.
pub(super) fn scrubbed(text: &str, key: Option<&Secret>) -> String {
    const MOST_CHARACTERS: usize = 1_000;
    let key = key.map(Secret::reveal).filter(|key| key.len() >= SHORTEST);
    let mut text = match key {
        Some(key) => text.replace(key, "…"),
        None => text.to_owned(),
    };
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_neither_shown_nor_quoted() {
        let key = Secret::new("sk-planted");
        assert_eq!(format!("{key:?}"), "…");
        assert_eq!(
            scrubbed("no such key: sk-planted, sk-planted!", Some(&key)),
            "no such key: …, …!"
        );
        assert_eq!(scrubbed("none of it", Some(&Secret::new("none"))), "none of it");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(scrubbed(&"é".repeat(5_000), None).chars().count(), 1_001);
    }
}
