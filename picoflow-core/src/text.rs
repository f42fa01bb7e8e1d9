//! Texts that are cut, and names that are segments of JSON pointers.

use std::borrow::Cow;

/// The text, or so many characters of it and a mark that says that there is more.
pub(crate) fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// The name as a segment of a JSON pointer (RFC 6901).
pub(crate) fn segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("look up", 200), "look up");
        assert_eq!(shortened(&"ö".repeat(200), 200), "ö".repeat(200));
        assert_eq!(shortened(&"ö".repeat(100_000), 200), format!("{}…", "ö".repeat(200)));
    }

    #[test]
    fn a_segment_is_escaped() {
        assert_eq!(segment("a/b~1"), "a~1b~01");
    }
}
