//! When the hooks of a step run, and what comes of them.

use crate::support::{Journal, Talk, TestFlow, lines};
use picoflow::{
    prelude::*,
    session::RunStatus,
    testing::{Rule, ScriptedModel},
};

/// Writes down every hook, then does what the default does.
struct Logged<const NAME: char>(Journal);

impl<const NAME: char> Logged<NAME> {
    fn log(&self, what: &str) {
        self.0.add(format!("{NAME} {what}"));
    }
}

#[tools]
impl<const NAME: char> Step for Logged<NAME> {
    const ID: StepId = StepId::new(match NAME {
        'A' => "A",
        _ => "B",
    });

    async fn on_start(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.log("on_start");
        Ok(())
    }

    async fn on_restore(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.log("on_restore");
        Ok(())
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.log("on_enter");
        Ok(())
    }

    async fn on_exit(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.log("on_exit");
        Ok(())
    }

    async fn on_crossing(
        &self,
        _cx: &mut Cx<'_>,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        let prior = prior.map_or_else(|| "nowhere".to_owned(), |prior| prior.to_string());
        self.log(&format!("on_crossing from {prior}"));
        Ok(message.or_else(|| Some("Go on.".to_owned())))
    }

    #[tool]
    fn cross(&self) -> ToolResponse {
        go("B")
    }

    #[tool]
    fn remain(&self) -> ToolResponse {
        stay_with("remained")
    }

    #[tool]
    async fn child(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step("B", Some("Work.")).await?;
        Ok(stay_with("worked"))
    }
}

async fn logged() -> (Talk, Journal) {
    let journal = Journal::default();
    let steps =
        Steps::new().add(Logged::<'A'>(journal.clone())).add(Logged::<'B'>(journal.clone()));
    let call = |tool: &'static str| (Rule::new().latest(tool), [(tool, json!({}))]);
    let (cross, remain, child) = (call("cross"), call("remain"), call("child"));
    let model = ScriptedModel::new()
        .on(Rule::new().latest("remained"), "Here.")
        .on_call(cross.0, cross.1)
        .on_call(remain.0, remain.1)
        .on_call(child.0, child.1)
        .on(Rule::new(), "Done.");
    let flow = TestFlow::new(steps).define(["cross", "remain", "child"]);
    (Talk::of(flow, model).await, journal)
}

#[tokio::test]
async fn a_new_session_starts_enters_and_crosses() {
    let (mut talk, journal) = logged().await;
    talk.say("Hi").await;
    assert_eq!(journal.take(), ["A on_start", "A on_enter", "A on_crossing from nowhere"]);
    assert_eq!(talk.memory("A").await, ["human: Hi", "ai: Done."]);
}

#[tokio::test]
async fn a_stored_session_is_restored_and_nothing_else() {
    let (mut talk, journal) = logged().await;
    talk.say("Hi").await;
    journal.take();
    talk.say("Hi again").await;
    assert_eq!(journal.take(), ["A on_restore"]);
}

#[tokio::test]
async fn a_go_leaves_enters_and_crosses() {
    let (mut talk, journal) = logged().await;
    talk.say("Hi").await;
    journal.take();
    talk.say("cross").await;
    assert_eq!(journal.take(), ["A on_restore", "A on_exit", "B on_enter", "B on_crossing from A"]);
    talk.say("Hi").await;
    assert_eq!(journal.take(), ["B on_restore"]);
}

#[tokio::test]
async fn a_stay_runs_no_hook() {
    let (mut talk, journal) = logged().await;
    talk.say("Hi").await;
    journal.take();
    assert_eq!(talk.say("remain").await.text, "Here.");
    assert_eq!(journal.take(), ["A on_restore"]);
}

#[tokio::test]
async fn a_child_is_entered_and_left_and_never_crossed() {
    let (mut talk, journal) = logged().await;
    talk.say("Hi").await;
    journal.take();
    talk.say("child").await;
    assert_eq!(journal.take(), ["A on_restore", "B on_enter", "B on_exit"]);
}

/// Ends the conversation for whoever asks, but not the session.
struct End;

#[tools]
impl Step for End {
    fn is_end(&self, _cx: &Cx<'_>) -> bool {
        true
    }
}

#[tokio::test]
async fn is_end_reports_the_end_and_does_not_make_it() {
    let model = ScriptedModel::new().on(Rule::new(), "Bye.");
    let mut talk = Talk::new(Steps::new().add(End), model).await;
    assert!(talk.say("Hi").await.completed);
    assert_eq!(talk.session().await.run_status, RunStatus::Running);
    talk.say("Still there?").await;
}

#[tokio::test]
async fn a_prompt_is_read_anew_at_each_model_call() {
    struct Counter;

    #[tools]
    impl Step for Counter {
        fn prompt(&self, cx: &Cx<'_>) -> Prompt {
            format!("Count: {}.", cx.state()["count"]).into()
        }

        /// Count
        #[tool(define)]
        fn count(&self, cx: &mut Cx<'_>) -> ToolResponse {
            cx.save_state(json!({ "count": 1 }));
            stay()
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().prompt("Count: null."), [("count", json!({}))])
        .on(Rule::new().prompt("Count: 1."), "One.");
    let mut talk = Talk::new(Steps::new().add(Counter), model).await;
    assert_eq!(talk.say("Hi").await.text, "One.");
    assert_eq!(lines(&talk.last_request().messages)[0], "system: Count: 1.");
}
