//! Models that say nothing, fail, or never answer.

use crate::support::{Talk, TestFlow, lines, warnings};
use picoflow::{
    BoxFuture, TurnError,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{future::pending, sync::Mutex, time::Duration};

struct Talks;

#[tools]
impl Step for Talks {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Talk.".into()
    }
}

async fn talk(model: impl ChatModel) -> Talk {
    Talk::new(Steps::new().add(Talks), model).await
}

const NUDGE: &str = "Follow system prompt and respond properly.";

#[tokio::test]
async fn an_empty_reply_is_nudged_and_the_nudge_is_not_kept() {
    let model =
        ScriptedModel::new().on(Rule::new().latest(NUDGE), "Better.").on(Rule::new(), " \n");
    let mut talk = talk(model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(reply.text, "Better.");
    assert_eq!(
        lines(&talk.last_request().messages),
        ["system: Talk.", "human: Hi", &format!("human: {NUDGE}")]
    );
    assert_eq!(talk.memory("Talks").await, ["human: Hi", "ai: Better."]);
    assert_eq!(warnings(&reply), ["attempt 1 of 3: the reply was empty"]);
}

#[tokio::test]
async fn empty_replies_to_the_end_are_a_typed_error() {
    let model = ScriptedModel::new().on(Rule::new().latest("Hi"), "Hello.").on(Rule::new(), "");
    let mut talk = talk(model).await;
    talk.say("Hi").await;
    let error = talk.fail("Say nothing").await;
    assert!(
        matches!(&error, TurnError::NoReply { step, attempts: 3, reason } if *step == Talks::ID && reason.contains("empty")),
        "{error}"
    );
    assert_eq!(error.code(), "MODEL_NO_REPLY");
    assert_eq!(talk.requests().len(), 4);
    assert_eq!(talk.say("Hi").await.text, "Hello.");
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_tried_again_with_a_warning() {
    let model = ScriptedModel::new()
        .answer(Rule::new().times(2), |_| Err(ModelError::transient("503 overloaded")))
        .on(Rule::new(), "Hello.");
    let mut talk = talk(model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(reply.text, "Hello.");
    assert_eq!(talk.requests().len(), 3);
    let warned = warnings(&reply);
    assert!(
        warned[0].contains("attempt 1 of 3") && warned[1].contains("503 overloaded"),
        "{warned:?}"
    );
    assert_eq!(talk.memory("Talks").await, ["human: Hi", "ai: Hello."]);
}

#[tokio::test(start_paused = true)]
async fn transient_failures_to_the_end_are_a_typed_error() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .answer(Rule::new().times(3), |_| Err(ModelError::transient("503")))
        .on(Rule::new(), "Back.");
    let mut talk = talk(model).await;
    talk.say("Hi").await;
    let error = talk.fail("And now?").await;
    assert!(
        matches!(&error, TurnError::Model { step, source: ModelError::Transient { .. } } if *step == Talks::ID),
        "{error}"
    );
    assert_eq!(error.code(), "MODEL_FAILED");
    assert_eq!(talk.say("And now?").await.text, "Back.");
}

#[tokio::test]
async fn a_permanent_failure_is_not_tried_again() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .answer(Rule::new().times(1), |_| Err(ModelError::permanent("401 unauthorized")))
        .on(Rule::new(), "Back.");
    let mut talk = talk(model).await;
    talk.say("Hi").await;
    let error = talk.fail("And now?").await;
    assert!(error.to_string().contains("401 unauthorized"), "{error}");
    assert_eq!(talk.requests().len(), 2);
    let session = talk.session().await;
    assert_eq!(session.error[0].extra["code"], "MODEL_FAILED");
    assert_eq!(session.error[0].extra["step"], "Talks");
    assert_eq!(talk.say("And now?").await.text, "Back.");
}

#[tokio::test]
async fn a_model_that_fails_in_the_middle_of_a_turn_undoes_the_whole_turn() {
    struct Writes;

    #[tools]
    impl Step for Writes {
        /// Write
        #[tool(define)]
        fn write(&self, cx: &mut Cx<'_>) -> ToolResponse {
            cx.save_state(json!({ "wrote": true }));
            stay_with("written")
        }
    }

    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new().latest("write"), [("write", json!({}))])
        .answer(Rule::new().latest("written").times(1), |_| Err(ModelError::permanent("gone")))
        .on(Rule::new().latest("written"), "Done.");
    let mut talk = Talk::new(Steps::new().add(Writes), model).await;
    talk.say("Hi").await;
    talk.fail("write").await;
    assert_eq!(talk.state("Writes").await, Value::Null);
    assert_eq!(talk.say("write").await.text, "Done.");
    assert_eq!(talk.state("Writes").await, json!({ "wrote": true }));
}

/// Never answers, so many times.
struct Silent {
    times: Mutex<usize>,
    then: ScriptedModel,
}

impl ChatModel for Silent {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let mut times = self.times.lock().unwrap();
        if *times > 0 && request.latest().is_some_and(|said| said.content != "Hi") {
            *times -= 1;
            return Box::pin(pending());
        }
        self.then.generate(request)
    }
}

fn silent(times: usize) -> Silent {
    Silent { times: Mutex::new(times), then: ScriptedModel::new().on(Rule::new(), "Hello.") }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_answer_in_time_is_asked_again() {
    let mut talk = talk(silent(2)).await;
    talk.say("Hi").await;
    let reply = talk.say("Still there?").await;
    assert_eq!(reply.text, "Hello.");
    let warned = warnings(&reply);
    assert!(warned[0].contains("did not answer within 120s"), "{warned:?}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_in_time_is_a_typed_error() {
    let limits = Limits::default().model_timeout(Duration::from_secs(3)).attempts(2);
    let flow = TestFlow::new(Steps::new().add(Talks)).limits(limits);
    let mut talk = Talk::of(flow, silent(2)).await;
    talk.say("Hi").await;
    let error = talk.fail("Still there?").await;
    let TurnError::Model { source: ModelError::TimedOut(limit), .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*limit, Duration::from_secs(3));
    assert_eq!(talk.say("Still there?").await.text, "Hello.");
}

#[tokio::test(start_paused = true)]
async fn a_retry_does_not_run_handlers_again() {
    struct Counts;

    #[tools]
    impl Step for Counts {
        /// Count
        #[tool(define)]
        fn count(&self, cx: &mut Cx<'_>) -> ToolResponse {
            let count = cx.state()["count"].as_u64().unwrap_or(0) + 1;
            cx.save_state(json!({ "count": count }));
            stay_with("counted")
        }
    }

    let model = ScriptedModel::new()
        .answer(Rule::new().latest("counted").times(2), |_| Err(ModelError::transient("503")))
        .on_call(Rule::new().latest("Hi"), [("count", json!({}))])
        .on(Rule::new().latest("counted"), "One.");
    let mut talk = Talk::new(Steps::new().add(Counts), model).await;
    assert_eq!(talk.say("Hi").await.text, "One.");
    assert_eq!(talk.state("Counts").await, json!({ "count": 1 }));
}

#[tokio::test]
async fn there_is_always_one_attempt() {
    let limits = Limits::default().attempts(0);
    let flow = TestFlow::new(Steps::new().add(Talks)).limits(limits);
    let model = ScriptedModel::new().on(Rule::new().latest("Hi"), "Hello.").on(Rule::new(), "");
    let mut talk = Talk::of(flow, model).await;
    talk.say("Hi").await;
    let error = talk.fail("Well?").await;
    assert!(matches!(error, TurnError::NoReply { attempts: 1, .. }), "{error}");
}

/// Has limits and, in its flow, a model of its own.
struct Careful;

#[tools]
impl Step for Careful {
    fn limits(&self, inherited: Limits) -> Limits {
        inherited.attempts(1)
    }
}

#[tokio::test]
async fn a_step_has_its_own_limits_and_its_own_model() {
    let own = ModelRef::new("test", "other").param("temperature", 0);
    let steps = Steps::new().add(Careful.model(own.clone())).add(Talks);
    let model = || ScriptedModel::new().on(Rule::new(), "");
    let mut talk = Talk::of(TestFlow::new(steps.clone()), model()).await;
    talk.fail("Hi").await;
    assert_eq!(talk.requests().len(), 1);
    assert_eq!(talk.last_request().model, own);
    let mut talk = Talk::of(TestFlow::new(steps).initial("Talks"), model()).await;
    talk.fail("Hi").await;
    assert_eq!(talk.requests().len(), 3);
    assert_eq!(talk.last_request().model, ModelRef::new("test", "script"));
}

#[tokio::test]
async fn a_goodbye_that_fails_does_not_end_the_session() {
    struct Leaves;

    #[tools]
    impl Step for Leaves {
        #[tool("terminate_session")]
        fn leave(&self) -> ToolResponse {
            go(TerminateSessionStep::ID).with_prompt("Say goodbye.")
        }
    }

    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new().latest("bye"), [("terminate_session", json!({}))])
        .answer(Rule::new().prompt("Say goodbye.").times(1), |_| Err(ModelError::permanent("401")))
        .on(Rule::new().prompt("Say goodbye."), "Good bye.");
    let steps = Steps::new().add(Leaves).add(TerminateSessionStep.memory("end"));
    let mut talk = Talk::new(steps, model).await;
    talk.say("Hi").await;
    talk.fail("bye").await;
    assert!(!talk.session().await.is_completed());
    talk.say("Hi").await;
    let reply = talk.say("bye").await;
    assert_eq!((&*reply.text, reply.completed), ("Good bye.", true));
    assert_eq!(talk.memory("end").await, ["human: I'm done with chat", "ai: Good bye."]);
}
