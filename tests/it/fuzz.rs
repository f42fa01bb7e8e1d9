//! What `fuzz/` runs with a fuzzer and a nightly compiler: here what it has found so far, its seeds, and random changes of
//! them.

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library for the fuzzer")]
mod targets;

use proptest::{collection::vec, prelude::*, sample::Index};
use std::{fs, path::Path};

/// What breaks readers.
const PIECES: [&str; 24] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "[[[[[[[[",
    "]]]]]]]]",
    ",",
    ":",
    "null",
    "true",
    "-0",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "0.5",
    "\\ud800",
    "\u{0}",
    "é",
    "\u{1F600}",
    "\"\"",
    "{\"a\":1}",
];

/// A change of a text.
#[derive(Clone, Debug)]
enum Change {
    Insert(Index, &'static str),
    Remove(Index, usize),
    Repeat(Index, usize),
    Byte(Index, u8),
    /// A number or a word in place of another.
    Word(Index, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = || prop::sample::select(PIECES.to_vec());
    prop_oneof![
        (any::<Index>(), piece()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<Index>(), piece()).prop_map(|(at, piece)| Change::Word(at, piece)),
    ]
}

fn changed(mut text: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = text.len();
        let from = |at: &Index| at.index(length + 1);
        match change {
            Change::Insert(at, piece) => drop(text.splice(from(at)..from(at), piece.bytes())),
            Change::Remove(at, count) => drop(text.drain(from(at)..length.min(from(at) + count))),
            Change::Repeat(at, count) => {
                let end = length.min(from(at) + count);
                let part = text[from(at)..end].to_vec();
                drop(text.splice(end..end, part));
            }
            Change::Byte(at, byte) => {
                if let Some(place) = text.get_mut(from(at)) {
                    *place = *byte;
                }
            }
            Change::Word(at, piece) => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"\"-._".contains(byte);
                let start =
                    text[..from(at)].iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
                let word = text[start..].iter().take_while(|byte| is_word(byte)).count();
                drop(text.splice(start..start + word, piece.bytes()));
            }
        }
    }
    text
}

fn files(folder: &str, target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(folder).join(target);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn run(name: &str, target: fn(&[u8])) {
    let (seeds, corpus) = (files("seeds", name), files("corpus", name));
    assert!(seeds.len() > 3 && corpus.len() > 100);
    for text in seeds.iter().chain(&corpus) {
        target(text);
    }
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 2_000;
    }
    proptest!(config, |(text in prop::sample::select(seeds), changes in vec(change(), 1..4))| {
        target(&changed(text, &changes));
    });
}

#[test]
fn no_session_document_breaks_a_turn() {
    run("session", targets::session);
}

#[test]
fn no_arguments_break_a_turn() {
    run("arguments", targets::arguments);
}

#[test]
fn no_scenario_breaks_its_run() {
    run("scenario", targets::scenario);
}
