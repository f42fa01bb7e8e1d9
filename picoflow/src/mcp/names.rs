//! Names of tools, on both sides.

use super::McpError;
use std::collections::BTreeMap;

/// Whether every provider takes it as a tool's name.
pub(super) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A server's name for a tool in the letters that every provider takes.
pub(super) fn in_letters(name: &str) -> String {
    let letter = |char: char| {
        if char.is_ascii_alphanumeric() || matches!(char, '_' | '-') { char } else { '_' }
    };
    name.chars().map(letter).collect()
}

/// The names that are taken, with whose they are.
#[derive(Debug, Default)]
pub(super) struct Taken(BTreeMap<String, String>);

impl Taken {
    /// Gives `name` to `tool`.
    pub(super) fn give(&mut self, name: &str, tool: &str) -> Result<(), McpError> {
        if !is_name(name) {
            return Err(McpError::Name { tool: tool.to_owned(), name: name.to_owned() });
        }
        match self.0.insert(name.to_owned(), tool.to_owned()) {
            None => Ok(()),
            Some(first) => Err(McpError::DuplicateName {
                name: name.to_owned(),
                first,
                second: tool.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_mapped_or_refused_and_never_given_twice() {
        assert_eq!(in_letters("files.read/all ü"), "files_read_all__");
        assert!(!is_name("") && !is_name(&"x".repeat(65)) && is_name(&"x".repeat(64)));

        let mut taken = Taken::default();
        assert!(taken.give("a_b", "a.b").is_ok());
        let error = taken.give("a_b", "a/b").unwrap_err().to_string();
        assert_eq!(
            error,
            "the tools `a.b` and `a/b` would both be called `a_b`: rename one of them"
        );
        assert!(matches!(taken.give("", ""), Err(McpError::Name { .. })));
    }
}
