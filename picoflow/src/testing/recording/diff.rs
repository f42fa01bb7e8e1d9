//! What differs between two requests, for a person.

use super::Asked;
use similar::TextDiff;

/// A unified diff of the two as JSON, in which each line of a text is a line.
pub(super) fn diff(recorded: &Asked, asked: &Asked) -> String {
    let (recorded, asked) = (lines(recorded), lines(asked));
    let diff = TextDiff::from_lines(&recorded, &asked);
    diff.unified_diff().context_radius(2).header("recorded", "asked").to_string()
}

fn lines(asked: &Asked) -> String {
    let text = serde_json::to_string_pretty(asked).unwrap_or_default();
    text.replace("\\n", "\n    ") + "\n"
}
