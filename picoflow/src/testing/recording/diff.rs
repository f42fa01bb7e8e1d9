//! What differs between two values, for a person.

use serde::Serialize;
use similar::TextDiff;

/// A unified diff of the two, each with its name, as JSON, in which each line of a text is a line.
pub(super) fn diff<T: Serialize>(old: (&str, &T), new: (&str, &T)) -> String {
    let (old_lines, new_lines) = (lines(old.1), lines(new.1));
    let diff = TextDiff::from_lines(&old_lines, &new_lines);
    diff.unified_diff().context_radius(2).header(old.0, new.0).to_string()
}

fn lines(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace("\\n", "\n    ") + "\n"
}
