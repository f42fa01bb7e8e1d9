//! The tables of error codes in the guide are complete, and each code is held to by a test.

use std::{collections::BTreeSet, fs, path::Path};

const SESSIONS: &str = include_str!("../../docs/src/sessions.md");
const CHILDREN: &str = include_str!("../../docs/src/children.md");
const TURN_ERROR: &str = include_str!("../../picoflow-core/src/error.rs");
const SUMMARY_ERROR: &str = include_str!("../../picoflow-core/src/compaction.rs");
const CALL_AS_TEXT: &str = include_str!("../../picoflow-core/src/run/as_text.rs");
const CHILD_ERRORS: &str = include_str!("../../picoflow-core/src/children/error.rs");

type Codes = BTreeSet<String>;

/// Whether it looks like a code.
fn is_code(word: &str) -> bool {
    word.contains('_') && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

/// The codes in the first column of a page's tables.
fn rows(page: &str) -> Codes {
    let mut codes = Codes::new();
    for line in page.lines() {
        let Some(row) = line.strip_prefix("| `") else {
            continue;
        };
        let first = row.split(" | ").next().unwrap();
        for code in first.split(['`', ',', ' ']).filter(|word| is_code(word)) {
            assert!(codes.insert(code.to_owned()), "two rows for {code}");
        }
    }
    codes
}

/// The codes that the errors of a file have. `code()` matches every variant: the compiler sees to that.
fn codes(source: &str) -> Codes {
    let arms = source.lines().filter_map(|line| line.trim().split_once(" => \""));
    let codes = arms.filter_map(|(variant, rest)| {
        let is_variant = variant.starts_with("Self::") || variant.starts_with("ChildFailure::");
        let code = rest.strip_suffix("\",")?;
        (is_variant && is_code(code)).then(|| code.to_owned())
    });
    codes.collect()
}

/// The code of a warning that is no error.
fn warning(source: &str) -> Codes {
    let code = source.lines().find_map(|line| line.strip_prefix("const CODE: &str = \""));
    Codes::from([code.unwrap().trim_end_matches("\";").to_owned()])
}

#[test]
fn every_code_of_a_turn_has_a_row_and_every_row_a_code() {
    let (turn, summary) = (codes(TURN_ERROR), codes(SUMMARY_ERROR));
    assert!(turn.len() >= 24 && summary.len() >= 4, "{turn:?} {summary:?}");
    assert_eq!(rows(SESSIONS), &(&turn | &summary) | &warning(CALL_AS_TEXT));
}

#[test]
fn every_code_of_children_has_a_row_and_every_row_a_code() {
    let codes = codes(CHILD_ERRORS);
    assert!(codes.len() >= 16, "{codes:?}");
    assert_eq!(rows(CHILDREN), codes);
}

/// The texts of all tests but this one.
fn tests(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests(&path, texts);
        } else if !path.ends_with("error_table.rs") {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
}

/// Whether a line outside of a comment holds something to this code.
fn is_asserted(texts: &[String], code: &str) -> bool {
    let quoted = format!("\"{code}\"");
    let mut lines = texts.iter().flat_map(|text| text.lines());
    lines.any(|line| line.contains(&quoted) && !line.trim_start().starts_with("//"))
}

#[test]
fn every_code_is_asserted_in_a_test() {
    let mut texts = Vec::new();
    tests(&Path::new(env!("CARGO_MANIFEST_DIR")).join("it"), &mut texts);
    let codes = &(&codes(TURN_ERROR) | &codes(SUMMARY_ERROR)) | &codes(CHILD_ERRORS);
    let missing: Vec<_> = codes.iter().filter(|code| !is_asserted(&texts, code)).collect();
    assert!(missing.is_empty(), "no test expects {missing:?}");
    assert!(!is_asserted(&texts, concat!("SESSION", "_LOST")));
}
