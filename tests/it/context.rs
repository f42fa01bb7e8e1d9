//! The context: state, transient state, memory.

use crate::support::{Journal, Talk, TestFlow, lines};
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Runs the test's code when the model calls `act`.
struct Acts {
    act: fn(&mut Cx<'_>) -> Value,
    journal: Journal,
}

#[tools]
impl Step for Acts {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Act.".into()
    }

    /// Act
    #[tool(define)]
    fn act(&self, cx: &mut Cx<'_>) -> ToolResponse {
        self.journal.add((self.act)(cx).to_string());
        stay()
    }
}

struct Other;

#[tools]
impl Step for Other {}

async fn talk(act: fn(&mut Cx<'_>) -> Value) -> (Talk, Journal) {
    let journal = Journal::default();
    let acts = Acts { act, journal: journal.clone() };
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("act"), [("act", json!({}))])
        .on(Rule::new(), "Done.");
    let flow = TestFlow::new(Steps::new().add(acts).add(Other));
    (Talk::of(flow, model).await, journal)
}

#[tokio::test]
async fn each_given_key_replaces_that_key_and_no_other() {
    let (mut talk, journal) = talk(|cx| {
        cx.save_state(json!({ "a": { "x": 1, "y": 2 }, "b": 1 }));
        cx.save_state(json!({ "a": { "x": 3 } }));
        cx.save_state(json!({}));
        let removed = cx.remove_state("b");
        json!([cx.state(), removed, cx.remove_state("nothing"), cx.state()["none"]])
    })
    .await;
    talk.say("act").await;
    assert_eq!(journal.take(), [r#"[{"a":{"x":3}},1,null,null]"#]);
    assert_eq!(talk.state("Acts").await, json!({ "a": { "x": 3 } }));
}

#[tokio::test]
async fn state_is_read_as_a_type() {
    #[derive(Deserialize, Serialize, PartialEq, Debug)]
    struct Slots {
        name: String,
    }

    let (mut talk, journal) = talk(|cx| {
        cx.save_state(Slots { name: "Ann".to_owned() });
        let slots: Slots = cx.state_as().unwrap();
        json!([slots, cx.state_as::<Vec<u8>>().is_err()])
    })
    .await;
    talk.say("act").await;
    assert_eq!(journal.take(), [r#"[{"name":"Ann"},true]"#]);
}

#[tokio::test]
async fn another_steps_state_is_read_and_written() {
    let (mut talk, journal) = talk(|cx| {
        let before = cx.step_state("Other").clone();
        cx.save_step_state("Other", json!({ "k": 1 }));
        json!([before, cx.step_state("Other")])
    })
    .await;
    talk.say("act").await;
    assert_eq!(journal.take(), [r#"[{},{"k":1}]"#]);
    assert_eq!(talk.state("Other").await, json!({ "k": 1 }));
}

#[tokio::test]
async fn a_step_that_is_not_there_fails_the_turn() {
    for act in [
        (|cx| cx.step_state("Nobody").clone()) as fn(&mut Cx<'_>) -> Value,
        |cx| {
            cx.save_step_state("Nobody", json!({}));
            Value::Null
        },
        |cx| {
            cx.save_step_transient("Nobody", json!({}));
            Value::Null
        },
    ] {
        let (mut talk, _) = talk(act).await;
        talk.say("Hi").await;
        let error = talk.fail("act").await;
        assert!(
            matches!(&error, TurnError::UnknownStep { target, .. } if *target == "Nobody"),
            "{error}"
        );
        talk.say("Hi").await;
    }
}

#[tokio::test]
async fn transient_state_lives_for_one_turn_and_is_not_stored() {
    let (mut talk, journal) = talk(|cx| {
        let before = cx.transient().clone();
        cx.save_transient(json!({ "secret": "hunter2" }));
        json!([before["secret"], cx.transient()["secret"]])
    })
    .await;
    talk.say("act").await;
    talk.say("act").await;
    assert_eq!(journal.take(), [r#"[null,"hunter2"]"#; 2]);
    let document = serde_json::to_string(&talk.session().await).unwrap();
    assert!(!document.contains("hunter2"), "{document}");
}

#[tokio::test]
async fn the_memory_is_read_without_the_reply_whose_tools_run() {
    let (mut talk, journal) = talk(|cx| {
        let last = cx.last_message().map(|last| last.content.clone());
        json!([
            lines(cx.memory().conversation()),
            last,
            lines(cx.memory_of("Acts").conversation()).len(),
            cx.memory_of("nobody").conversation().len()
        ])
    })
    .await;
    talk.say("Hi").await;
    talk.say("act").await;
    assert_eq!(journal.take(), [r#"[["human: Hi","ai: Done.","human: act"],"act",3,0]"#]);
}

#[tokio::test]
async fn a_memory_that_a_handler_erases_goes_on_with_its_own_reply() {
    let (mut talk, _) = talk(|cx| {
        cx.erase_memory();
        Value::Null
    })
    .await;
    talk.say("Hi").await;
    talk.say("act").await;
    assert_eq!(talk.memory("Acts").await, ["ai: [act]", "tool: input validated", "ai: Done."]);
    assert_eq!(talk.last_request().prompt(), "Act.");
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_memory_that_is_erased_on_entry_begins_anew() {
    struct Fresh;

    #[tools]
    impl Step for Fresh {
        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.erase_memory();
            Ok(())
        }

        /// Come back later
        #[tool(define)]
        fn leave(&self) -> ToolResponse {
            go(Back::ID)
        }
    }

    struct Back;

    #[tools]
    impl Step for Back {
        /// Return
        #[tool(define)]
        fn again(&self) -> ToolResponse {
            go(Fresh::ID).with_message("Once more.")
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("leave"), [("leave", json!({}))])
        .on_call(Rule::new().latest("again"), [("again", json!({}))])
        .on(Rule::new(), "Done.");
    let mut talk = Talk::new(Steps::new().add(Fresh).add(Back), model).await;
    talk.say("Hi").await;
    talk.say("leave").await;
    talk.say("again").await;
    assert_eq!(talk.memory("Fresh").await, ["human: Once more.", "ai: Done."]);
}

#[tokio::test]
async fn the_context_knows_its_session_and_what_it_began_with() {
    let (mut talk, journal) =
        talk(|cx| json!([cx.session_id(), cx.context(), cx.step_id(), cx.is_completed()])).await;
    let open = talk.opening().message("act").config(json!({ "a": 1 }));
    talk.run(open).await.unwrap();
    let expected = json!([talk.id(), { "config": { "a": 1 } }, "Acts", false]);
    assert_eq!(journal.take(), [expected.to_string()]);
}

#[tokio::test]
async fn mark_completed_ends_the_session_after_the_turn() {
    let (mut talk, journal) = talk(|cx| {
        cx.mark_completed();
        json!(cx.is_completed())
    })
    .await;
    let reply = talk.say("act").await;
    // The model still has its say.
    assert_eq!((&*reply.text, reply.completed), ("Done.", true));
    assert_eq!(journal.take(), ["true"]);
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::EndedSession { .. }), "{error}");
}
