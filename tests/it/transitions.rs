//! What a transition does, in which order, and to whom.

use crate::support::{Journal, Talk, TestFlow, answers, events, lines};
use picoflow::{
    ContentType, TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Answers the tool `act` with the response it is given.
pub(crate) struct Source {
    pub(crate) respond: fn() -> ToolResponse,
    pub(crate) journal: Journal,
}

#[tools]
impl Step for Source {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Source's own.".into()
    }

    /// Do what the test says
    #[tool(define)]
    fn act(&self) -> ToolResponse {
        (self.respond)()
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.journal.add("enter Source");
        Ok(())
    }

    async fn on_exit(&self, cx: &mut Cx<'_>) -> HookResult {
        let memory = lines(cx.memory().conversation());
        self.journal.add(format!("exit Source: {memory:?}"));
        Ok(())
    }
}

pub(crate) struct Target(pub(crate) Journal);

#[tools]
impl Step for Target {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Target's own.".into()
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        let memory = lines(cx.memory().conversation());
        self.0.add(format!("enter Target: {} {memory:?}", cx.state()));
        Ok(())
    }

    async fn on_crossing(
        &self,
        cx: &mut Cx<'_>,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        let memory = lines(cx.memory().conversation());
        let prior = prior.map(|prior| prior.to_string());
        self.0.add(format!("cross Target from {prior:?}: {} {memory:?}", cx.state()));
        Ok(message)
    }

    /// Go back to where it began
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go("Source")
    }
}

/// `act` once, then texts that name the step.
pub(crate) fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().step("Source").latest("act"), [("act", json!({}))])
        .on_call(Rule::new().step("Target").latest("back"), [("back", json!({}))])
        .on(Rule::new().step("Source"), "Source speaks.")
        .on(Rule::new().step("Target"), "Target speaks.")
}

/// Both steps on one namespace.
pub(crate) async fn talk(respond: fn() -> ToolResponse) -> (Talk, Journal) {
    let journal = Journal::default();
    let source = Source { respond, journal: journal.clone() };
    let steps =
        Steps::new().add(source.memory("shared")).add(Target(journal.clone()).memory("shared"));
    (Talk::new(steps, model()).await, journal)
}

/// Each step on a namespace of its own.
async fn talk_apart(respond: fn() -> ToolResponse) -> Talk {
    let journal = Journal::default();
    let source = Source { respond, journal: journal.clone() };
    Talk::new(Steps::new().add(source).add(Target(journal)), model()).await
}

fn everything() -> ToolResponse {
    go("Target")
        .saying("One moment.")
        .with_message("Forwarded.")
        .with_content_type(ContentType::HTML)
        .with_state(json!({ "key": 1 }))
        .with_prompt("Attached.")
        .with_tool_feedback("Told.")
        .saying("Almost there.")
}

#[tokio::test]
async fn effects_have_a_fixed_order_whatever_the_order_of_the_chain() {
    let (mut talk, journal) = talk(everything).await;
    let reply = talk.say("act").await;
    assert_eq!(
        journal.take(),
        [
            "enter Source",
            r#"exit Source: ["human: act"]"#,
            // What is attached is not there on entry.
            r#"enter Target: {} ["human: act"]"#,
            r#"cross Target from Some("Source"): {"key":1} ["human: act", "ai: [act]", "tool: Told.", "human: Forwarded."]"#,
        ]
    );
    assert_eq!(
        events(&reply),
        [
            "model Source",
            "tool act",
            "said One moment.",
            "said Almost there.",
            "Source -> Target",
            "model Target",
        ]
    );
    assert_eq!(reply.content_type, ContentType::HTML);
    let request = talk.last_request();
    assert_eq!(request.prompt(), "Attached.");
    assert_eq!(
        lines(&request.messages)[1..],
        ["human: act", "ai: [act]", "tool: Told.", "human: Forwarded."]
    );
}

#[tokio::test]
async fn what_is_said_is_kept_out_of_every_history() {
    let (mut talk, _) = talk(everything).await;
    talk.say("act").await;
    let memory = talk.memory("shared").await;
    assert!(!memory.iter().any(|line| line.contains("moment")), "{memory:?}");
}

#[tokio::test]
async fn a_move_is_in_the_sequence_and_in_the_cursor() {
    let (mut talk, _) = talk(everything).await;
    talk.say("act").await;
    let session = serde_json::to_value(talk.session().await).unwrap();
    assert_eq!(session["flow"]["currentStep"], "Target");
    assert_eq!(
        session["flow"]["sequence"],
        json!([{ "level": 1, "stepName": "Source" }, { "level": 1, "stepName": "Target" }])
    );
}

#[tokio::test]
async fn a_message_lands_in_the_destination_and_the_answers_in_the_source() {
    let mut talk = talk_apart(everything).await;
    talk.say("act").await;
    assert_eq!(talk.memory("Source").await, ["human: act", "ai: [act]", "tool: Told."]);
    assert_eq!(talk.memory("Target").await, ["human: Forwarded.", "ai: Target speaks."]);
}

#[tokio::test]
async fn a_prompt_replaces_the_destinations_until_that_step_is_left() {
    let (mut talk, _) = talk(everything).await;
    talk.say("act").await;
    talk.say("more").await;
    assert_eq!(talk.last_request().prompt(), "Attached.");
    assert_eq!(talk.state("Target").await["_prompt"], "Attached.");
    talk.say("back").await;
    assert_eq!(talk.last_request().prompt(), "Source's own.");
    assert_eq!(talk.state("Target").await, json!({ "key": 1 }));
}

#[tokio::test]
async fn a_destination_entered_again_without_a_prompt_has_its_own() {
    let (mut talk, _) = talk(|| go("Target")).await;
    talk.say("act").await;
    assert_eq!(talk.last_request().prompt(), "Target's own.");
}

#[tokio::test]
async fn a_content_type_lasts_for_one_turn() {
    let (mut talk, _) = talk(everything).await;
    assert_eq!(talk.say("act").await.content_type, ContentType::HTML);
    assert_eq!(talk.say("more").await.content_type, ContentType::PLAIN);
}

#[tokio::test]
async fn the_terminal_step_answers_in_the_content_type_of_the_step_before() {
    struct Html;

    #[tools]
    impl Step for Html {
        /// Set the type
        #[tool(define)]
        fn set(&self) -> ToolResponse {
            stay_with("set").with_content_type("text/html")
        }

        #[tool("terminate_session")]
        fn leave(&self) -> ToolResponse {
            go(TerminateSessionStep::ID)
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("bye"), [("set", json!({}))])
        .on_call(Rule::new().latest("set"), [("terminate_session", json!({}))])
        .on(Rule::new().latest("I'm done with chat"), "<p>Bye.</p>");
    let steps = Steps::new().add(Html).add(TerminateSessionStep);
    let mut talk = Talk::new(steps, model).await;
    let reply = talk.say("bye").await;
    assert_eq!(reply.content_type.as_str(), "text/html");
    assert!(reply.completed);
    assert!(talk.session().await.is_completed());
}

#[tokio::test]
async fn stay_tells_the_model_that_the_input_was_validated_and_runs_no_hook() {
    let (mut talk, journal) = talk(stay).await;
    let reply = talk.say("act").await;
    assert_eq!(answers(&talk.last_request()), ["input validated"]);
    assert_eq!(reply.text, "Source speaks.");
    assert_eq!(journal.take(), ["enter Source"]);
    assert_eq!(talk.session().await.flow.sequence.len(), 1);
}

#[tokio::test]
async fn what_is_attached_to_a_stay_takes_effect_on_the_step_itself() {
    let (mut talk, _) = talk(|| {
        stay_with("Told.")
            .with_state(json!({ "key": 1 }))
            .with_prompt("Attached.")
            .with_message("Note.")
    })
    .await;
    talk.say("act").await;
    assert_eq!(talk.last_request().prompt(), "Attached.");
    assert_eq!(talk.state("Source").await["key"], 1);
    assert_eq!(
        talk.memory("shared").await,
        ["human: act", "ai: [act]", "tool: Told.", "human: Note.", "ai: Source speaks."]
    );
}

#[tokio::test]
async fn going_to_the_current_step_runs_no_hook_and_moves_nothing() {
    let (mut talk, journal) = talk(|| go("Source").with_state(json!({ "key": 1 }))).await;
    let reply = talk.say("act").await;
    assert_eq!(reply.text, "Source speaks.");
    assert_eq!(journal.take(), ["enter Source"]);
    assert_eq!(talk.session().await.flow.sequence.len(), 1);
    assert_eq!(talk.state("Source").await, json!({ "key": 1 }));
}

#[tokio::test]
async fn an_unknown_target_fails_the_turn_before_any_hook() {
    let (mut talk, journal) = talk(|| go("Nowhere").with_state(json!({ "key": 1 }))).await;
    talk.say("Hi").await;
    journal.take();
    let error = talk.fail("act").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    assert_eq!(journal.take(), [""; 0]);
    assert_eq!(talk.say("Hi again").await.text, "Source speaks.");
}

#[tokio::test]
async fn a_state_that_is_no_object_fails_the_turn_and_names_the_method() {
    let (mut talk, _) = talk(|| go("Target").with_state([1, 2])).await;
    let error = talk.fail("act").await;
    assert!(matches!(error, TurnError::Misuse { .. }), "{error}");
    assert!(error.to_string().contains("`with_state` takes an object"), "{error}");
}

#[tokio::test]
async fn data_for_the_model_stays_and_is_told_as_json() {
    struct Lookup;

    #[tools]
    impl Step for Lookup {
        /// Look it up
        #[tool(define)]
        fn look(&self) -> Json<Value> {
            Json(json!({ "rooms": [1, 2] }))
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("look", json!({}))])
        .on(Rule::new().latest(r#"{"rooms":[1,2]}"#), "Two rooms.");
    let mut talk = Talk::new(Steps::new().add(Lookup), model).await;
    assert_eq!(talk.say("Hi").await.text, "Two rooms.");
}

#[tokio::test]
async fn the_last_of_a_repeated_chain_method_counts() {
    let (mut talk, _) = talk(|| {
        go("Target")
            .with_prompt("First.")
            .with_state(json!({ "a": 1 }))
            .with_prompt("Second.")
            .with_state(json!({ "b": 2 }))
    })
    .await;
    talk.say("act").await;
    assert_eq!(talk.state("Target").await, json!({ "_prompt": "Second.", "b": 2 }));
}

#[tokio::test]
async fn the_state_of_a_transition_that_lost_is_kept_and_its_prompt_is_not() {
    struct Fork;

    #[tools]
    impl Step for Fork {
        /// One way
        #[tool(define)]
        fn left(&self) -> ToolResponse {
            go("Left").with_state(json!({ "k": 1 })).with_prompt("Left?")
        }

        /// The other way
        #[tool(define)]
        fn right(&self) -> ToolResponse {
            go("Right").with_state(json!({ "k": 2 })).with_prompt("Right?")
        }
    }

    struct Left;

    #[tools]
    impl Step for Left {}

    struct Right;

    #[tools]
    impl Step for Right {}

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("left", json!({})), ("right", json!({}))])
        .on(Rule::new().prompt("Right?"), "Right it is.");
    let flow = TestFlow::new(Steps::new().add(Fork).add(Left).add(Right));
    let mut talk = Talk::of(flow, model).await;
    assert_eq!(talk.say("Hi").await.text, "Right it is.");
    assert_eq!(talk.state("Left").await, json!({ "k": 1 }));
}
