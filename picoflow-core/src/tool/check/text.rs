//! Text that const code puts together.

/// The text of a panic, which const code must put together itself.
#[derive(Clone, Copy)]
pub(super) struct Text {
    bytes: [u8; Self::LONGEST],
    len: usize,
}

impl Text {
    const LONGEST: usize = 1024;

    pub(super) const fn new() -> Self {
        Self { bytes: [0; Self::LONGEST], len: 0 }
    }

    /// What does not fit is left out.
    pub(super) const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < Self::LONGEST {
            self.bytes[self.len] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// `["a","b"]`.
    pub(super) const fn push_set(self, names: &[&str]) -> Self {
        let mut text = self.push("[");
        let mut i = 0;
        while i < names.len() {
            let open = if i == 0 { "\"" } else { ",\"" };
            text = text.push(open).push(names[i]).push("\"");
            i += 1;
        }
        text.push("]")
    }

    pub(super) const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "two methods of the step handle the same tools",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_rather_than_lost() {
        assert_eq!(Text::new().push("a").push_set(&["b", "c"]).as_str(), r#"a["b","c"]"#);
        assert_eq!(Text::new().push(&"x".repeat(3000)).as_str().len(), Text::LONGEST);
    }
}
