//! What is said of a store that breaks a rule.

use std::fmt;

/// A rule that a store breaks.
///
/// See [`store_conformance`](super::store_conformance) for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreFault {
    /// The rule, as a sentence.
    pub rule: &'static str,
    /// What had to be.
    pub expected: String,
    /// What was.
    pub found: String,
}

impl fmt::Display for StoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.rule, self.expected, self.found)
    }
}

/// All rules that a store breaks.
///
/// Its `Debug` form is its text, since that is what a test shows. See
/// [`store_conformance`](super::store_conformance) for an example.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreFaults {
    /// The rules that it breaks, at least one.
    pub faults: Vec<StoreFault>,
    pub(super) rules: usize,
}

impl fmt::Display for StoreFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store breaks {} of {} rules:", self.faults.len(), self.rules)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n* {fault}"))
    }
}

impl fmt::Debug for StoreFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StoreFaults {}

pub(super) type Outcome<T = ()> = Result<T, Failure>;

/// What a check found. Its rule is added by who ran it.
#[derive(Debug)]
pub(super) struct Failure {
    expected: String,
    found: String,
}

impl Failure {
    pub(super) fn new(expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        Self { expected: expected.to_string(), found: found.to_string() }
    }

    pub(super) fn of(self, rule: &'static str) -> StoreFault {
        StoreFault { rule, expected: self.expected, found: self.found }
    }
}

/// Fails unless both are equal.
pub(super) fn equal<T: PartialEq + fmt::Debug>(what: &str, found: &T, expected: &T) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(Failure::new(format_args!("{what} {expected:?}"), format_args!("{found:?}")))
}

/// How much of a document is shown on each side of a difference.
const CONTEXT: usize = 40;

/// Fails unless both documents are the same to the letter.
pub(super) fn same(what: &str, found: &str, expected: &str) -> Outcome {
    if found == expected {
        return Ok(());
    }
    let pairs = found.bytes().zip(expected.bytes());
    let at = pairs.take_while(|(found, expected)| found == expected).count();
    let around = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(CONTEXT));
        let to = text.ceil_char_boundary(at.saturating_add(CONTEXT));
        let part = text.get(from..to).unwrap_or_default();
        format!("`{part}` at byte {from} of {}", text.len())
    };
    Err(Failure::new(format_args!("{what} with {}", around(expected)), around(found)))
}
