//! Planted secrets, and the search for them in whatever a test run leaves behind: logs, sessions, recordings, errors.
//!
//! The keys and tokens of all tests are given out here, and with the first of them begins the search of all that any crate logs. What
//! is found ends the process, so that neither a task nor a caught panic can hide it.

mod logs;
mod searched;

pub(crate) use self::{logs::logged, searched::Searched};

#[cfg(feature = "genai")]
use picoflow::genai::Protocol;
use std::{
    error::Error,
    fmt::{Debug, Write as _},
    io::{self, Write as _},
    process,
};

/// What all planted secrets hold, and nothing else does.
const MARK: &str = "pL4nt3dS3cr3t";

/// The same as a list of bytes is shown.
const MARK_AS_BYTES: &str = "112, 76, 52, 110, 116, 51, 100, 83, 51, 99, 114, 51, 116";

/// A token for a server of any kind.
pub(crate) fn token() -> &'static str {
    logs::watch();
    "sk-proj-pL4nt3dS3cr3t0123456789abcdef"
}

/// A key for a provider, in the form of its maker's.
#[cfg(feature = "genai")]
pub(crate) fn key(protocol: Protocol) -> &'static str {
    let token = token();
    match protocol {
        Protocol::Anthropic => "sk-ant-api03-pL4nt3dS3cr3t-0123456789abcdef-AA",
        Protocol::Gemini => "AIzaSypL4nt3dS3cr3t0123456789abcdef",
        _ => token,
    }
}

/// Whether a part of a secret is in `text`.
pub(crate) fn is_in(text: &str) -> bool {
    text.contains(MARK) || text.contains(MARK_AS_BYTES)
}

/// Ends the process if a secret is in `text`, which is a `what`.
pub(crate) fn search(what: &str, text: &str) {
    if is_in(text) {
        drop(writeln!(io::stderr(), "a planted secret is in {what}: {text}"));
        process::abort();
    }
}

/// Searches a value as it is shown.
pub(crate) fn search_shown(what: &str, value: &impl Debug) {
    search(what, &format!("{value:?}"));
}

/// Searches an error and its sources, as they are shown and as they are told.
pub(crate) fn search_error(error: &(dyn Error + 'static)) {
    search("an error", &told(error));
}

fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for error in std::iter::successors(Some(error), |&error| error.source()) {
        write!(text, "{error} {error:?} ").unwrap();
    }
    text
}

#[test]
fn a_secret_is_found_in_a_text_in_bytes_and_in_the_source_of_an_error() {
    let key = token();
    assert!(is_in(&format!("the key {key} is wrong")));
    assert!(is_in(&format!("{:?}", key.as_bytes())));
    assert!(!is_in("the key sk-… is wrong"));
    let source = io::Error::other(format!("no such key: {key}"));
    let error = picoflow::session::StoreError::failed(source);
    assert!(is_in(&told(&error)), "{error:?}");
}

/// Runs itself in a process of its own, which ends.
#[test]
fn a_secret_in_a_log_ends_the_process() {
    const LOGS: &str = "PICOFLOW_TEST_LOGS_A_KEY";
    if std::env::var_os(LOGS).is_some() {
        let key = token();
        // Nobody hears of its panic.
        drop(std::thread::spawn(move || tracing::trace!("authorization: Bearer {key}")).join());
        return;
    }
    let it = std::env::current_exe().unwrap();
    let name = "secrets::a_secret_in_a_log_ends_the_process";
    let ran = process::Command::new(it).args(["--exact", name]).env(LOGS, "").output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("a planted secret is in a log: it::secrets"), "{told}");
    // Not even the test's own failure is told.
    assert!(!ran.status.success() && !String::from_utf8_lossy(&ran.stdout).contains("test result"));
}
