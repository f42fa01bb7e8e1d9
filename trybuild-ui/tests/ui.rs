//! Every message of the macros, and programs that must compile.
//!
//! `TRYBUILD=overwrite cargo test -p picoflow-ui` writes the expected messages anew.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*/*.rs");
}
