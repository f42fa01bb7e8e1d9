//! `sessions list`, `show` and `end`.

use super::App;
use serde_json::Value;

/// The ids of the table's rows.
fn listed(app: &App, args: &[&str]) -> Vec<String> {
    let ran = app.run(&[&["sessions", "list"], args].concat(), "").ok();
    let mut lines = ran.stdout.lines();
    let head: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["SESSION", "FLOW", "STATUS", "STEP", "SAVED"]);
    lines.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn sessions_are_listed_by_id_and_filtered() {
    let app = App::with_two_flows();
    assert_eq!(listed(&app, &[]), [""; 0]);
    let mut ids = [app.session("Hi\n"), app.session("bye\n")];
    let other = app.run(&["--flow", "OtherFlow"], "Hi\n").ok().session();
    let [running, ended] = ids.clone();
    ids.sort();
    assert_eq!(listed(&app, &["--flow", "TalkFlow"]), ids);
    assert_eq!(listed(&app, &["--flow", "OtherFlow"]), [other]);
    assert_eq!(listed(&app, &["--flow", "TalkFlow", "--status", "running"]), [running]);
    assert_eq!(listed(&app, &["--status", "completed"]), [ended]);
    assert_eq!(listed(&app, &[]).len(), 3);
    app.run(&["sessions", "list", "--flow", "Nobody"], "").fails(1, "there is no flow `Nobody`");
    app.run(&["sessions", "list", "--status", "gone"], "").fails(2, "invalid value 'gone'");
    app.run(&["sessions", "list", "--limit", "0"], "").fails(2, "invalid value '0'");
}

#[test]
fn a_full_page_tells_how_to_go_on() {
    let app = App::new();
    let mut ids = [app.session("Hi\n"), app.session("Hi\n"), app.session("Hi\n")];
    ids.sort();
    let page = app.run(&["sessions", "list", "--limit", "2"], "");
    assert_eq!(page.code, Some(0));
    assert_eq!(page.stderr, format!("there may be more: go on with `--after {}`\n", ids[1]));
    assert!(page.stdout.contains(&ids[0]) && !page.stdout.contains(&ids[2]), "{page:?}");
    assert_eq!(listed(&app, &["--limit", "2", "--after", &ids[1]]), [ids[2].clone()]);
}

#[test]
fn as_json_a_list_has_what_a_program_needs() {
    let app = App::new();
    let id = app.session("Hi\nagain\n");
    let list = app.run(&["sessions", "list", "--json"], "").ok().stdout;
    let list: Value = serde_json::from_str(&list).unwrap();
    let document = serde_json::to_value(app.document(&id)).unwrap();
    let [one] = &list.as_array().unwrap()[..] else { panic!("{list}") };
    for (field, place) in [
        ("id", "/id"),
        ("revision", "/revision"),
        ("flow", "/flow/name"),
        ("runStatus", "/runStatus"),
        ("currentStep", "/flow/currentStep"),
        ("createdOn", "/createdOn"),
        ("saveOn", "/saveOn"),
    ] {
        assert_eq!(Some(&one[field]), document.pointer(place), "{field}");
    }
    assert_eq!(one.as_object().unwrap().len(), 7);
}

#[test]
fn a_session_is_removed_once() {
    let app = App::new();
    let [id, other] = [app.session("Hi\n"), app.session("Hi\n")];
    let ran = app.run(&["sessions", "end", &id], "").ok();
    assert_eq!(ran.stdout, format!("session `{id}` is removed\n"));
    for command in ["end", "show"] {
        app.run(&["sessions", command, &id], "")
            .fails(1, &format!("session `{id}` does not exist: `cli_app sessions list` shows"));
    }
    assert_eq!(listed(&app, &[]), [other]);
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let app = App::new();
    let id = app.session("Hi\n");
    for args in [&["sessions", "list"][..], &["sessions", "show", &id]] {
        let ran = app.run_unheard(args, "");
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_session_that_cannot_be_read_is_removed() {
    let app = App::new();
    for document in ["{", "{}", "[]", "x", "\u{0}"] {
        let id = app.session("Hi\n");
        let store = rusqlite::Connection::open(app.path("store.sqlite")).unwrap();
        let sql = "UPDATE session SET document = ?1 WHERE id = ?2";
        assert_eq!(store.execute(sql, [document, &id]).unwrap(), 1);
        app.run(&["sessions", "show", &id], "").fails(1, "cannot be read");
        let ran = app.run(&["sessions", "end", &id], "").ok();
        assert_eq!(ran.stdout, format!("session `{id}` is removed\n"));
        app.run(&["sessions", "end", &id], "").fails(1, "does not exist");
    }
}
