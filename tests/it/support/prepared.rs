//! What the scripts prepare for the tests that need more than Rust.
//!
//! `build.rs` says which scripts run, and a test that needs another one is ignored:
//! `#[cfg_attr(not(prepared = "postgres"), ignore = "needs PostgreSQL: run scripts/postgres cargo test")]`.

/// What a script says in the environment. A test that runs all the same, as with `--include-ignored` or where `CI=true` is
/// set, fails here with the way out.
#[track_caller]
pub(crate) fn prepared(variable: &str, script: &str) -> String {
    std::env::var(variable)
        .unwrap_or_else(|_| panic!("{variable} is not set: run `{script} cargo test`"))
}

/// For each script: whether it runs, a test that needs it, and what that test asks for first.
const NEEDS: [(bool, &str, &str, &str); 6] = [
    (
        cfg!(prepared = "browser"),
        "page::browser::a_whole_conversation_is_held_and_shown",
        "PICOFLOW_TEST_BROWSER",
        "scripts/browser",
    ),
    (
        cfg!(prepared = "mcp"),
        "mcp::reference::our_client_uses_the_reference_server_over_http",
        "PICOFLOW_TEST_MCP_URL",
        "scripts/mcp",
    ),
    (
        cfg!(prepared = "postgres"),
        "postgres::an_id_with_nul_is_refused_with_its_name",
        "PICOFLOW_TEST_POSTGRES_URL",
        "scripts/postgres",
    ),
    (
        cfg!(prepared = "restate"),
        "restate::the_story_is_the_same_on_restate_as_embedded",
        "PICOFLOW_TEST_RESTATE_INGRESS",
        "scripts/restate",
    ),
    (
        cfg!(prepared = "schemathesis"),
        "server::openapi::schemathesis_finds_no_fault",
        "PICOFLOW_TEST_SCHEMATHESIS",
        "scripts/schemathesis",
    ),
    (
        cfg!(prepared = "simulators"),
        "genai::many_schemas::no_dialect_loses_a_property",
        "PICOFLOW_TEST_SCHEMAS",
        "scripts/simulators",
    ),
];

/// Runs this program with other arguments; what it says, and whether all passed.
fn itself(args: &[&str], without: &[&str]) -> (bool, String) {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    for variable in without {
        command.env_remove(variable);
    }
    let ran = command.args(args).output().unwrap();
    (ran.status.success(), String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn a_test_is_ignored_where_its_script_does_not_run() {
    let (all, ignored) = (itself(&["--list"], &[]).1, itself(&["--list", "--ignored"], &[]).1);
    let has = |list: &str, name: &str| list.lines().any(|line| line == format!("{name}: test"));
    for (is_prepared, name, ..) in NEEDS {
        if has(&all, name) {
            assert_eq!(has(&ignored, name), !is_prepared, "{name}");
        }
    }
    if NEEDS.iter().all(|(is_prepared, ..)| *is_prepared) {
        assert!(!ignored.contains(": test"), "{ignored}");
    }
}

#[test]
fn a_test_without_its_script_fails_with_the_way_out() {
    let all = itself(&["--list"], &[]).1;
    for (_, name, variable, script) in NEEDS {
        if all.contains(name) {
            let args = ["--exact", name, "--include-ignored"];
            let (passed, told) = itself(&args, &[variable]);
            let way_out = format!("{variable} is not set: run `{script} cargo test`");
            assert!(!passed && told.contains(&way_out), "{told}");
        }
    }
}
