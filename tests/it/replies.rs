//! Replies without calls: `check_response`, `on_response`, structured output, crossings.

use crate::support::{Talk, TestFlow, warnings};
use picoflow::{
    TurnError, no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Goes on when the model says so.
struct Talker;

#[tools]
impl Step for Talker {
    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        cx.save_state(json!({ "said": output.as_text() }));
        Ok(match output.as_text() {
            "NEXT" => go(Listener::ID).with_state(json!({ "from": "Talker" })),
            "FORWARD" => go(Listener::ID).with_message("The user wants more."),
            "AGAIN" => go(Self::ID),
            "END" => finish("It is over."),
            "THERE" => direct_to(Listener::ID, "Over there."),
            "NOWHERE" => go("Nowhere"),
            other => format!("[{other}]").into(),
        })
    }
}

struct Listener;

#[tools]
impl Step for Listener {}

async fn talker(reply: &str, shared: bool) -> Talk {
    let model = ScriptedModel::new()
        .on(Rule::new().step("Talker").times(1), reply)
        .on(Rule::new().step("Talker"), "later")
        .on(Rule::new().step("Listener"), "Listening.");
    let namespace = |name: &'static str| if shared { "shared" } else { name };
    let steps = Steps::new()
        .add(Talker.memory(namespace("Talker")))
        .add(Listener.memory(namespace("Listener")));
    Talk::new(steps, model).await
}

#[tokio::test]
async fn a_text_of_on_response_is_the_reply_and_takes_its_place_in_the_memory() {
    let mut talk = talker("hello", false).await;
    assert_eq!(talk.say("Hi").await.text, "[hello]");
    assert_eq!(talk.memory("Talker").await, ["human: Hi", "ai: [hello]"]);
    assert_eq!(talk.state("Talker").await, json!({ "said": "hello" }));
}

#[tokio::test]
async fn a_transition_of_on_response_goes_on_in_the_same_turn() {
    let mut talk = talker("NEXT", false).await;
    let reply = talk.say("Hi").await;
    assert_eq!((&*reply.text, &reply.step), ("Listening.", &Listener::ID));
    assert_eq!(talk.state("Listener").await, json!({ "from": "Talker" }));
    assert_eq!(talk.memory("Talker").await, ["human: Hi", "ai: NEXT"]);
}

#[tokio::test]
async fn on_response_may_end_the_turn_the_session_or_try_again() {
    let mut talk = talker("END", false).await;
    let reply = talk.say("Hi").await;
    assert_eq!((&*reply.text, reply.completed), ("It is over.", true));
    assert_eq!(reply.step, Talker::ID);

    let mut talk = talker("THERE", false).await;
    let reply = talk.say("Hi").await;
    assert_eq!((&*reply.text, reply.completed), ("Over there.", false));
    assert_eq!(reply.step, Listener::ID);

    let mut talk = talker("AGAIN", false).await;
    assert_eq!(talk.say("Hi").await.text, "[later]");

    let mut talk = talker("NOWHERE", false).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    assert_eq!(talk.say("Hi").await.text, "[later]");
}

#[tokio::test]
async fn a_crossing_gives_a_word_only_where_there_is_nothing_to_answer() {
    // An empty memory.
    let mut talk = talker("NEXT", false).await;
    talk.say("Hi").await;
    assert_eq!(talk.memory("Listener").await[0], "human: Start");
    // A memory that ends with the model's own words.
    let mut talk = talker("NEXT", true).await;
    talk.say("Hi").await;
    assert_eq!(
        talk.memory("shared").await,
        ["human: Hi", "ai: NEXT", "human: Start", "ai: Listening."]
    );
    // A memory that ends with something to answer.
    let mut talk = talker("FORWARD", true).await;
    talk.say("Hi").await;
    assert_eq!(
        talk.memory("shared").await,
        ["human: Hi", "ai: FORWARD", "human: The user wants more.", "ai: Listening."]
    );
    // A new session without a message.
    let mut talk = talker("hello", false).await;
    talk.run(talk.opening()).await.unwrap();
    assert_eq!(talk.memory("Talker").await[0], "human: Start");
}

/// Refuses replies with digits, and calls.
struct Strict;

#[tools]
impl Step for Strict {
    fn check_response(&self, _cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        if reply.text.contains(char::is_numeric) || !reply.tool_calls.is_empty() {
            return Verdict::Retry("Words alone.".to_owned());
        }
        Verdict::Accept
    }

    /// Never runs
    #[tool(define)]
    fn never(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "ran": true }));
        stay()
    }
}

#[tokio::test]
async fn a_refused_reply_is_asked_again_with_the_reason_and_forgotten() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("refused: Words alone."), "Seven.")
        .on(Rule::new(), "7");
    let mut talk = Talk::new(Steps::new().add(Strict), model).await;
    let reply = talk.say("How many?").await;
    assert_eq!(reply.text, "Seven.");
    assert_eq!(talk.memory("Strict").await, ["human: How many?", "ai: Seven."]);
    let warned = warnings(&reply);
    assert!(warned[0].contains("attempt 1 of 3"), "{warned:?}");
    assert!(warned[0].contains("Words alone."), "{warned:?}");
    // Both attempts cost tokens.
    assert_eq!(talk.session().await.tokens.input_tokens, 20);
}

#[tokio::test]
async fn a_refused_call_never_runs() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("refused"), "Words.")
        .on_call(Rule::new(), [("never", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Strict), model).await;
    assert_eq!(talk.say("Hi").await.text, "Words.");
    assert_eq!(talk.state("Strict").await, Value::Null);
}

#[tokio::test]
async fn replies_that_are_refused_to_the_end_fail_the_turn() {
    let model = ScriptedModel::new().on(Rule::new().latest("fine"), "Fine.").on(Rule::new(), "7");
    let flow = TestFlow::new(Steps::new().add(Strict)).limits(Limits::default().attempts(2));
    let mut talk = Talk::of(flow, model).await;
    talk.say("fine").await;
    let error = talk.fail("How many?").await;
    let TurnError::NoReply { step, attempts, reason } = &error else {
        panic!("{error}");
    };
    assert_eq!((step, *attempts), (&Strict::ID, 2));
    assert!(reason.contains("Words alone."), "{reason}");
    assert_eq!(talk.requests().len(), 3);
    assert_eq!(talk.say("fine").await.text, "Fine.");
}

/// Asks for an object.
struct Movie;

#[tools]
impl Step for Movie {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(no_arguments())
    }

    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        let ModelOutput::Structured(object) = output else {
            return Err("not structured".into());
        };
        cx.save_state(&object);
        Ok(format!("A movie: {}", object["title"]).into())
    }
}

#[tokio::test]
async fn a_structured_reply_reaches_on_response_as_an_object() {
    let model = ScriptedModel::new().on(Rule::new(), "```json\n{\"title\":\"Up\"}\n```");
    let mut talk = Talk::new(Steps::new().add(Movie), model).await;
    assert_eq!(talk.say("Invent one").await.text, r#"A movie: "Up""#);
    assert_eq!(talk.state("Movie").await, json!({ "title": "Up" }));
    assert_eq!(talk.last_request().output_schema, Some(no_arguments()));
}

#[tokio::test]
async fn a_structured_reply_that_is_no_json_is_asked_again() {
    let model = ScriptedModel::new()
        .on(Rule::new().latest("Reply with JSON"), r#"{"title":"Up"}"#)
        .on(Rule::new(), "Here is a movie.");
    let mut talk = Talk::new(Steps::new().add(Movie), model).await;
    assert_eq!(talk.say("Invent one").await.text, r#"A movie: "Up""#);
    assert_eq!(talk.requests().len(), 2);
    assert_eq!(talk.memory("Movie").await, ["human: Invent one", r#"ai: A movie: "Up""#]);
}

#[tokio::test]
async fn a_structured_reply_without_a_hook_is_json_text() {
    struct Plain;

    #[tools]
    impl Step for Plain {
        fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
            Some(no_arguments())
        }
    }

    let model = ScriptedModel::new().on(Rule::new(), r#" {"b": 1, "a": 2} "#);
    let mut talk = Talk::new(Steps::new().add(Plain), model).await;
    assert_eq!(talk.say("Hi").await.text, r#"{"b":1,"a":2}"#);
}

/// Asks for a rating from 1 to 5.
struct Rating(Value);

#[tools]
impl Step for Rating {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(self.0.clone())
    }
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn a_structured_reply_that_does_not_fit_the_schema_is_asked_again() {
    let schema = json!({
        "type": "object",
        "properties": { "stars": { "type": "integer", "maximum": 5 } },
        "required": ["stars"]
    });
    let model = ScriptedModel::new()
        .on(Rule::new().times(1), r#"{"stars":9}"#)
        .on(Rule::new().latest("/stars"), r#"{"stars":5}"#);
    let mut talk = Talk::new(Steps::new().add(Rating(schema)), model).await;
    let reply = talk.say("Rate it").await;
    assert_eq!(reply.text, r#"{"stars":5}"#);
    assert_eq!(warnings(&reply).len(), 1);
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn an_output_schema_that_is_none_fails_the_turn_and_names_the_step() {
    let model = ScriptedModel::new().on(Rule::new(), "{}");
    let schema = json!({ "type": "nonsense" });
    let mut talk = Talk::new(Steps::new().add(Rating(schema)), model).await;
    let error = talk.fail("Rate it").await;
    assert!(
        matches!(&error, TurnError::Misuse { step, reason } if *step == Rating::ID && reason.contains("`output_schema`")),
        "{error}"
    );
}

#[tokio::test]
async fn tools_beside_an_output_schema_are_warned_about_and_work() {
    struct Both;

    #[tools]
    impl Step for Both {
        fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
            Some(no_arguments())
        }

        /// Look it up first
        #[tool(define)]
        fn look_up(&self) -> ToolResponse {
            stay_with("looked up")
        }
    }

    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), [("look_up", json!({}))])
        .on(Rule::new().latest("looked up"), "{}");
    let mut talk = Talk::new(Steps::new().add(Both), model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(reply.text, "{}");
    assert!(warnings(&reply)[0].contains("tools beside an output schema"));
}
