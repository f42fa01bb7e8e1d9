//! Lines of a file, of a pipe, or of a terminal that cannot edit them.

use super::Said;
use std::io::{self, BufRead};

/// Bytes of a line, at most. Flows have limits of their own, which are lower.
const MAX_LINE: usize = 64 * 1024 * 1024;

pub(super) struct Lines<R> {
    from: R,
    /// Whether a person types them.
    is_typed: bool,
    is_begun: bool,
    max: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(from: R, is_typed: bool) -> Self {
        Self { from, is_typed, is_begun: false, max: MAX_LINE }
    }

    pub(super) fn line(&mut self) -> io::Result<Said> {
        let (mut line, mut is_long, mut is_empty) = (Vec::new(), false, true);
        loop {
            let part = match self.from.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            if part.is_empty() {
                break;
            }
            is_empty = false;
            let end = part.iter().position(|byte| *byte == b'\n');
            let (text, _) = part.split_at(end.unwrap_or(part.len()));
            let used = text.len() + usize::from(end.is_some());
            if is_long || line.len() + text.len() > self.max {
                is_long = true;
                line = Vec::new();
            } else {
                line.extend_from_slice(text);
            }
            self.from.consume(used);
            if end.is_some() {
                break;
            }
        }
        if is_empty {
            return Ok(Said::End);
        }
        if is_long {
            return Ok(Said::TooLong);
        }
        // Some editors begin a file with a mark that says that it is UTF-8.
        if !self.is_begun && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(.."\u{feff}".len());
        }
        self.is_begun = true;
        Ok(said(line, self.is_typed))
    }
}

/// What a line says. A person who types control characters pressed a key that should do something.
pub(super) fn said(line: Vec<u8>, is_typed: bool) -> Said {
    let Ok(mut text) = String::from_utf8(line) else {
        return Said::NoText("is not valid UTF-8");
    };
    text.truncate(text.trim_ascii_end().len());
    if text.contains('\0') {
        return Said::NoText("has a NUL character");
    }
    let is_key = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if is_typed && text.contains(is_key) {
        return Said::NoText("has characters of keys that this terminal cannot serve");
    }
    if text.trim().is_empty() { Said::Nothing } else { Said::Text(text) }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Said};

    fn all(input: &[u8], is_typed: bool) -> Vec<Said> {
        // In parts of two bytes, so that line ends are split too.
        let from = std::io::BufReader::with_capacity(2, input);
        let mut lines = Lines { max: 12, ..Lines::new(from, is_typed) };
        let mut all = Vec::new();
        loop {
            match lines.line().unwrap() {
                Said::End => return all,
                said => all.push(said),
            }
        }
    }

    fn text(text: &str) -> Said {
        Said::Text(text.to_owned())
    }

    #[test]
    fn line_ends_of_all_systems_are_read() {
        let seen = all(b"\xef\xbb\xbfa \r\n\r\n \t\n\xc3\xbc\nlast", false);
        assert_eq!(seen, [text("a"), Said::Nothing, Said::Nothing, text("\u{fc}"), text("last")]);
        assert_eq!(all(b"", false), []);
        assert_eq!(all(b"a\n", false), [text("a")]);
    }

    #[test]
    fn what_is_no_text_is_told_apart() {
        let seen = all(b"\xff\xfe\na\0b\n\x1b[A\nnext\n", false);
        assert!(matches!(
            &seen[..],
            [Said::NoText(_), Said::NoText(_), Said::Text(_), Said::Text(_)]
        ));
        assert!(matches!(&all(b"\x1b[A\n", true)[..], [Said::NoText(_)]));
    }

    #[test]
    fn a_long_line_is_dropped_whole() {
        let seen = all(b"123456789012\n1234567890123\n1234567890123456789012345\nnext", false);
        assert_eq!(seen, [text("123456789012"), Said::TooLong, Said::TooLong, text("next")]);
    }
}
