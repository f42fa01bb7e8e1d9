//! `graph` and `check`.

use super::App;
use expect_test::expect;

#[test]
fn a_flow_is_drawn_in_each_format() {
    let app = App::new();
    let graph = |args: &[&str]| app.run(&[&["graph"], args].concat(), "").ok().stdout;
    let mermaid = graph(&[]);
    assert!(mermaid.starts_with("flowchart TD\n") && mermaid.contains("add, pay, leave"));
    assert_eq!(graph(&["--format", "mermaid"]), mermaid);
    assert!(graph(&["--format", "dot"]).starts_with("digraph \"TalkFlow\" {\n"));
    let svg = graph(&["--format", "svg", "--flow", "TalkFlow"]);
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    app.run(&["graph", "--format", "png"], "").fails(2, "possible values: mermaid, dot, svg");
}

#[test]
fn of_several_flows_one_is_chosen() {
    let app = App::with_two_flows();
    app.run(&["graph"], "").fails(1, "choose one by `--flow` of OtherFlow, TalkFlow");
    app.run(&["graph", "--flow", "Nobody"], "").fails(1, "there is no flow `Nobody`");
    let other = app.run(&["graph", "--flow", "OtherFlow"], "").ok().stdout;
    assert!(other.contains("Lost"), "{other}");
}

#[test]
fn a_check_shows_steps_and_tools_and_what_is_likely_a_mistake() {
    let report = App::with_two_flows().run(&["check"], "").ok().stdout;
    expect![[r"
        OtherFlow
          STEP                  KIND   MEMORY                TOOLS
          Talk                  entry  Talk                  add, pay, leave
          Lost                         Lost                  -
          TerminateSessionStep         TerminateSessionStep  -
          warning: nothing in flow `OtherFlow` routes to step `Lost`

        TalkFlow
          STEP                  KIND   MEMORY                TOOLS
          Talk                  entry  Talk                  add, pay, leave
          TerminateSessionStep         TerminateSessionStep  -

        2 flows, 1 warning
    "]]
    .assert_eq(&report);
}

#[test]
fn a_strict_check_fails_with_a_warning_and_prints_the_same() {
    let flawed = App::with_two_flows();
    let ran = flawed.run(&["check", "--strict"], "");
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""));
    assert_eq!(ran.stdout, flawed.run(&["check"], "").ok().stdout);
    let sound = App::new().run(&["check", "--strict"], "").ok().stdout;
    assert!(sound.ends_with("\n1 flow, 0 warnings\n"), "{sound}");
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let app = App::new();
    for command in ["graph", "check"] {
        let ran = app.run_unheard(&[command], "");
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{command}");
    }
}
