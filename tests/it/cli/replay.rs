//! `chat --record` and `replay`.

use super::{App, Ran};
use crate::support::TestFlow;
use picoflow::{
    model::{ModelFailure, Recovery},
    prelude::*,
    testing::{Replay, ReplayError, ScriptedModel},
};
use std::fs;

/// The recording of a conversation.
fn recorded(app: &App, input: &str) -> String {
    app.run(&["--record", "run.jsonl", "--config", r#"{"table":7}"#], input).ok();
    fs::read_to_string(app.path("run.jsonl")).unwrap()
}

fn replayed(app: &App, text: &str) -> Ran {
    fs::write(app.path("changed.jsonl"), text).unwrap();
    app.run(&["replay", "changed.jsonl"], "")
}

#[track_caller]
fn differs(ran: &Ran, told: &str) {
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""), "{ran:?}");
    assert!(ran.stdout.starts_with("changed.jsonl: ") && ran.stdout.contains(told), "{ran:?}");
}

#[test]
fn what_was_recorded_is_held_again_without_the_store_and_the_model() {
    let app = App::new();
    let text = recorded(&app, "config\nadd tea\npay\nbye\n");
    assert_eq!(text.matches("{\"turn\":").count(), 4, "{text}");
    let sessions = app.run(&["sessions", "list"], "").ok().stdout;
    // A model that is asked for this would say something else.
    let changed = text.replace("You said: tea is on the list", "Anything else?");
    assert_ne!(changed, text);
    let ran = replayed(&app, &changed).ok();
    assert_eq!(ran.stdout, "changed.jsonl: as recorded\n");
    assert_eq!(app.run(&["sessions", "list"], "").ok().stdout, sessions);
}

#[test]
fn what_has_changed_is_a_diff_that_names_the_turn() {
    let app = App::new();
    let text = recorded(&app, "Hi\nadd tea\n");
    // As if the tool had said something else when it was recorded.
    let tool = replayed(&app, &text.replace("\"text\":\"tea is on", "\"text\":\"tea was on"));
    differs(&tool, "turn 2: this call of step `Talk` was not recorded");
    assert!(tool.stdout.contains("\n-      \"text\": \"tea was on the list\""), "{tool:?}");
    assert!(tool.stdout.contains("\n+      \"text\": \"tea is on the list\""), "{tool:?}");
    let reply = replayed(
        &app,
        &text.replace("{\"text\":\"You said: Hi\",\"step\"", "{\"text\":\"Yes?\",\"step\""),
    );
    differs(&reply, "turn 1 comes to another reply");
    assert!(
        reply.stdout.contains("\n-  \"text\": \"Yes?\",\n+  \"text\": \"You said: Hi\",\n"),
        "{reply:?}"
    );
    let (first, _) = text.split_once("{\"turn\":").unwrap();
    differs(&replayed(&app, &format!("{text}{first}{}", turn(&text, 0))), "turn 3: ");
}

/// The line of a turn.
fn turn(text: &str, number: usize) -> &str {
    text.lines().filter(|line| line.starts_with("{\"turn\":")).nth(number).unwrap()
}

#[test]
fn calls_that_are_made_no_more_are_named() {
    let app = App::new();
    let text = recorded(&app, "Hi\n");
    let call = text.lines().next().unwrap();
    let ran = replayed(&app, &format!("{call}\n{text}"));
    differs(&ran, "calls that were recorded were not made, of the steps: Talk");
}

#[test]
fn a_turn_that_failed_leaves_nothing_to_replay() {
    let app = App::new();
    let ran = app.run(&["--record", "run.jsonl"], "Hi\nfail\n");
    assert_eq!(ran.code, Some(1));
    let text = fs::read_to_string(app.path("run.jsonl")).unwrap();
    assert!(text.contains("out of order") && text.matches("{\"turn\":").count() == 2, "{text}");
    replayed(&app, &text).ok();
}

#[test]
fn a_recording_that_is_there_is_not_overwritten() {
    let app = App::new();
    let text = recorded(&app, "Hi\n");
    app.run(&["--record", "run.jsonl"], "Hi\n").fails(1, "is there already");
    assert_eq!(fs::read_to_string(app.path("run.jsonl")).unwrap(), text);
    app.run(&["--record", "no/such/folder"], "Hi\n").fails(1, "cannot be written");
}

#[test]
fn what_is_no_recording_of_a_conversation_is_told() {
    let app = App::new();
    app.run(&["replay", "nothing.jsonl"], "").fails(1, "`nothing.jsonl` cannot be read");
    fs::write(app.path("changed.jsonl"), "{}").unwrap();
    app.run(&["replay", "changed.jsonl"], "").fails(1, "line 1 is no recorded call");
    let text = recorded(&app, "Hi\n");
    let call = text.lines().next().unwrap();
    differs(&replayed(&app, call), "does not say what the user said");
}

#[tokio::test]
async fn a_model_failure_that_a_hook_answers_is_a_difference_all_the_same() {
    struct Calm;

    #[tools]
    impl Step for Calm {
        async fn on_model_error(
            &self,
            _cx: &mut Cx<'_>,
            _failure: &ModelFailure,
        ) -> HookResult<Recovery> {
            Ok(Recovery::Answer("Please come again.".into()))
        }
    }

    let flow = TestFlow::new(Steps::new().add(Calm));
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new()).build().await.unwrap();
    let turn = r#"{"turn":{"flow":"TestFlow","message":"Hi"},"reply":{"text":"Please come again.","step":"Calm","completed":false}}"#;
    let error = turn.parse::<Replay>().unwrap().run(&engine).await.unwrap_err();
    assert!(matches!(error, ReplayError::NotRecorded { turn: 1, .. }), "{error}");
}
