//! Nothing is measured that does not do its work.

use std::fmt::Debug;

/// Panics when `answer` does not hold `text`.
///
/// # Panics
/// Then.
pub fn expect(answer: &impl Debug, text: &str) {
    let answer = format!("{answer:?}");
    assert!(answer.contains(text), "expected {text} in {answer}");
}
