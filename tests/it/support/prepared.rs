//! What the scripts prepare for the tests that need more than Rust.

/// What a script says of it in the environment. Where the script does not run, a test that needs it passes, and says so; where
/// all tests have to run, that is a failure.
pub(crate) fn prepared(variable: &str, script: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        let why = format!("{variable} is not set: run `{script} cargo test`");
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "not prepared: {why}");
        println!("skipped: {why}");
    }
    value
}
