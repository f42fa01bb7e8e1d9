//! The page of rules names a test for each rule, and the rules that no other module shows.

mod types;

use crate::support::{Journal, Talk, TestFlow, answers, calls, offered};
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::Barrier;

const PAGE: &str = include_str!("../../docs/src/rules.md");

/// The rows of the tables with rules: section, rule, where it is caught, and by what it is shown.
fn rows() -> Vec<[&'static str; 4]> {
    let (mut section, mut is_rules, mut rows) = ("", false, Vec::new());
    for line in PAGE.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        }
        let Some(row) = line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) else {
            is_rules = false;
            continue;
        };
        let cells: Vec<_> = row.split(" | ").collect();
        match &*cells {
            ["rule", "caught at", "shown by"] => is_rules = true,
            ["---", ..] => {}
            [rule, caught, shown] if is_rules => rows.push([section, rule, caught, shown]),
            other => assert!(!is_rules, "a rule has three cells: {other:?}"),
        }
    }
    rows
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether the source file has a test of this name.
fn has_test(file: &Path, name: &str) -> bool {
    let source = fs::read_to_string(file).unwrap_or_default();
    let Some((before, _)) = source.split_once(&format!("fn {name}()")) else {
        return false;
    };
    let attributes = before.rsplit("\n\n").next().unwrap_or_default();
    attributes.contains("test]") || attributes.contains("test(")
}

/// Whether there is a test like `it: module::name`.
fn exists(reference: &str) -> bool {
    let Some((kind, name)) = reference.split_once(": ") else {
        return false;
    };
    let in_module = |folder: &str| {
        let (module, test) = name.rsplit_once("::").unwrap_or_default();
        let file = format!("{}.rs", module.replace("::", "/"));
        has_test(&root().join(folder).join(file), test)
    };
    match kind {
        "it" => in_module("tests/it"),
        "core" => in_module("picoflow-core/src"),
        "ui" => {
            let folder = if name.contains('/') { "fail" } else { "pass" };
            let cases = root().join("trybuild-ui/tests/ui").join(folder);
            cases.join(format!("{name}.rs")).is_file()
        }
        _ => false,
    }
}

#[test]
fn every_rule_of_the_page_is_shown_by_tests_that_exist() {
    let places = ["compile", "build", "run", "by type", "not applicable: "];
    let mut faults = Vec::new();
    for [_, rule, caught, shown] in rows() {
        if !places.iter().any(|place| caught.starts_with(place)) {
            faults.push(format!("{rule}: caught at {caught}?"));
        }
        // The references stand in backticks.
        let references: Vec<_> = shown.split('`').skip(1).step_by(2).collect();
        if references.is_empty() || shown.contains("MISSING") {
            faults.push(format!("{rule}: no test shows it"));
        }
        let lost = references.iter().filter(|reference| !exists(reference));
        faults.extend(lost.map(|reference| format!("{rule}: there is no `{reference}`")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_page_has_every_part_and_every_silent_failure() {
    let rows = rows();
    for (section, least) in [
        ("Definition", 10),
        ("Exposure", 7),
        ("Attributes", 18),
        ("Dispatch", 8),
        ("What a handler returns", 12),
        ("Builders", 15),
        ("What travels along", 8),
        ("Order of effects", 5),
        ("Moves", 4),
    ] {
        let count = rows.iter().filter(|row| row[0] == section).count();
        assert!(count >= least, "{section}: {count} rules");
    }
    let silent = rows.iter().filter(|row| row[0] == "Silent failures of the reference");
    let numbers: Vec<_> =
        silent.map(|row| row[1].split_once(". ").unwrap().0.parse::<u32>().unwrap()).collect();
    assert_eq!(numbers, (1..=23).collect::<Vec<_>>());
}

/// Offers a tool that only `Later` defines.
struct Now;

#[tools]
impl Step for Now {
    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["later".into()]
    }

    fn later(&self) -> ToolResponse {
        stay()
    }
}

struct Later;

#[tools]
impl Step for Later {
    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![crate::support::definition("later")]
    }
}

#[tokio::test]
async fn a_step_that_is_not_current_defines_tools_too() {
    let model = ScriptedModel::new().on(Rule::new(), "Hello.");
    let mut talk = Talk::new(Steps::new().add(Now).add(Later), model).await;
    talk.say("Hi").await;
    assert_eq!(offered(&talk.last_request()), ["later"]);
}

/// Answers the tool `act`, and the set of `left` and `right`, with what it is given.
struct Acts {
    act: fn(&mut Cx<'_>) -> ToolResponse,
    journal: Journal,
}

#[tools]
impl Step for Acts {
    #[tool]
    fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
        (self.act)(cx)
    }

    #[tool]
    fn left(&self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn right(&self) -> ToolResponse {
        stay()
    }

    #[tools(["left", "right"])]
    fn both(&self, cx: &mut Cx<'_>, _calls: &[ToolCall]) -> ToolResponse {
        (self.act)(cx)
    }

    async fn on_exit(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.journal.add("left Acts");
        Ok(())
    }
}

struct Destination(Journal);

#[tools]
impl Step for Destination {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        self.0.add(cx.state().to_string());
        Ok(())
    }
}

async fn acts(names: &[&'static str], act: fn(&mut Cx<'_>) -> ToolResponse) -> (Talk, Journal) {
    let journal = Journal::default();
    let first = Acts { act, journal: journal.clone() };
    let steps = Steps::new().add(first).add(Destination(journal.clone()));
    let flow = TestFlow::new(steps).define(["act", "left", "right"]);
    (Talk::of(flow, calls(names)).await, journal)
}

#[tokio::test]
async fn a_blank_target_fails_the_turn() {
    for (act, text) in [
        (
            (|_| go("")) as fn(&mut Cx<'_>) -> ToolResponse,
            "Step '' is not defined in flow 'TestFlow'.",
        ),
        (|_| go(" Destination "), "Step ' Destination ' is not defined in flow 'TestFlow'."),
    ] {
        let (mut talk, journal) = acts(&["act"], act).await;
        assert_eq!(talk.fail("Hi").await.to_string(), text);
        assert_eq!(journal.take(), [""; 0]);
    }
}

#[tokio::test]
async fn a_group_that_goes_to_an_empty_name_fails_the_turn() {
    let names = ["left", "right"];
    let (mut talk, journal) = acts(&names, |_| go("").with_state(json!({ "k": 1 }))).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    assert_eq!(journal.take(), [""; 0]);
}

#[tokio::test]
async fn what_is_saved_before_the_move_is_seen_on_entry() {
    let (mut talk, journal) = acts(&["act"], |cx| {
        cx.save_step_state("Destination", json!({ "before": 1 }));
        go("Destination").with_state(json!({ "along": 2 }))
    })
    .await;
    talk.say("Hi").await;
    assert_eq!(journal.take(), ["left Acts", r#"{"before":1}"#]);
    assert_eq!(talk.state("Destination").await, json!({ "before": 1, "along": 2 }));
}

#[tokio::test]
async fn a_state_of_nothing_fails_the_turn() {
    let (mut talk, _) = acts(&["act"], |cx| {
        cx.save_state(cx.context()["no such key"].clone());
        stay()
    })
    .await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::Misuse { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("`save_state` takes an object, not null"), "{text}");
}

#[tokio::test]
async fn a_transient_value_that_is_gone_does_not_read_as_a_type() {
    let (mut talk, _) = acts(&["act"], |cx| {
        let gone = cx.transient()["token"].clone();
        match serde_json::from_value::<String>(gone) {
            Ok(token) => stay_with(token),
            Err(_) => finish("The token is gone."),
        }
    })
    .await;
    assert_eq!(talk.say("Hi").await.text, "The token is gone.");
}

/// Waits for the other one, then tells the model its step.
struct Here(Arc<Barrier>);

#[tools]
impl Step for Here {
    #[tool]
    async fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
        self.0.wait().await;
        stay_with(cx.step_id().as_str())
    }
}

struct There(Arc<Barrier>);

#[tools]
impl Step for There {
    #[tool]
    async fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
        self.0.wait().await;
        stay_with(cx.step_id().as_str())
    }
}

#[tokio::test]
async fn handlers_that_run_at_the_same_time_see_their_own_step() {
    let barrier = Arc::new(Barrier::new(2));
    let here = TestFlow::new(Steps::new().add(Here(Arc::clone(&barrier)))).define(["act"]);
    let there = TestFlow::new(Steps::new().add(There(barrier))).define(["act"]);
    let mut here = Talk::of(here, calls(&["act"])).await;
    let mut there = Talk::of(there, calls(&["act"])).await;
    tokio::join!(here.say("Hi"), there.say("Hi"));
    assert_eq!(answers(&here.last_request()), ["Here"]);
    assert_eq!(answers(&there.last_request()), ["There"]);
}
