//! Histories that are kept short by a summary.

use crate::support::{Talk, TestFlow, events, lines, warnings};
use picoflow::{
    BoxFuture, CallSite, Host, TurnError,
    model::{Block, BlockPhase, BlockReason, ChatModel, ChatRequest, ModelError, Purpose, Usage},
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{Rule, ScriptedModel},
};
use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

pub(crate) struct Talks;

#[tools]
impl Step for Talks {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Talk.".into()
    }

    /// Look it up
    #[tool(define)]
    fn look(&self) -> ToolResponse {
        stay_with("found")
    }

    /// End it
    #[tool(define)]
    fn end(&self) -> ToolResponse {
        finish("Bye.")
    }
}

/// From 4 messages on; 2 stay.
pub(crate) fn short() -> Compaction {
    Compaction::new().min_messages(4).recent_messages(2)
}

fn steps(compaction: Compaction) -> Steps {
    Steps::new().add(Talks.compaction(compaction))
}

/// Numbers its summaries.
pub(crate) fn model() -> ScriptedModel {
    let count = Mutex::new(0);
    ScriptedModel::new()
        .answer(Rule::summary(), move |_| {
            let mut count = count.lock().unwrap();
            *count += 1;
            Ok(ModelReply::text(format!("summary {count}")).with_usage(Usage::new(100, 20)))
        })
        .on_call(Rule::new().latest("look"), [("look", json!({})), ("look", json!({}))])
        .on_call(Rule::new().latest("end"), [("end", json!({}))])
        .on(Rule::new(), "Yes.")
}

fn requests_for_summaries(talk: &Talk) -> Vec<ChatRequest> {
    let mut requests = talk.requests();
    requests.retain(|request| request.purpose == Purpose::Summary);
    requests
}

#[tokio::test]
async fn older_messages_make_room_for_a_summary_that_the_model_gets_to_see() {
    let mut talk = Talk::new(steps(short()), model()).await;
    talk.say("one").await;
    assert_eq!(talk.session().await.flow.memory["Talks"].summary, None);
    let reply = talk.say("two").await;
    assert_eq!(talk.memory("Talks").await, ["human: two", "ai: Yes."]);
    let session = talk.session().await;
    let memory = &session.flow.memory["Talks"];
    assert_eq!(memory.summary.as_deref(), Some("summary 1"));
    assert!(memory.messages[0].is_system());
    assert_eq!(events(&reply).last().unwrap(), "summarised Talks 2");

    talk.say("three").await;
    let seen = talk.requests();
    let request = seen.iter().rfind(|request| request.purpose == Purpose::Reply).unwrap();
    assert_eq!(
        lines(&request.messages),
        [
            "system: Talk.",
            "system: Summary of the conversation so far:\nsummary 1",
            "human: two",
            "ai: Yes.",
            "human: three"
        ]
    );
    assert_eq!(request.prompt(), "Talk.");
    assert!(request.summary().unwrap().content.ends_with("summary 1"));
    assert_eq!(request.latest().unwrap().content, "three");
}

#[tokio::test]
async fn the_next_summary_takes_in_the_one_before() {
    let mut talk = Talk::new(steps(short()), model()).await;
    for text in ["one", "two", "three"] {
        talk.say(text).await;
    }
    let [first, second] = &requests_for_summaries(&talk)[..] else { panic!() };
    assert_eq!(first.prompt(), Compaction::PROMPT);
    assert_eq!(
        first.latest().unwrap().content,
        "Messages:\n{\"speaker\":\"user\",\"text\":\"one\"}\n{\"speaker\":\"assistant\",\"text\":\"Yes.\"}\n"
    );
    assert!(first.tools.is_empty() && first.output_schema.is_none());
    let text = &second.latest().unwrap().content;
    assert!(text.starts_with("Summary so far:\nsummary 1\n\nMessages since:\n"), "{text}");
    let session = talk.session().await;
    assert_eq!(session.flow.memory["Talks"].summary.as_deref(), Some("summary 2"));
}

#[tokio::test]
async fn the_document_names_the_summary_as_the_reference_does() {
    let mut talk = Talk::new(steps(short()), model()).await;
    talk.say("one").await;
    let before = talk.session().await;
    let last = before.flow.memory["Talks"].messages.last().unwrap().id.clone();
    talk.say("two").await;
    let document = serde_json::to_value(talk.session().await).unwrap();
    let memory = &document["flow"]["memory"]["Talks"];
    assert_eq!(memory["summary"], "summary 1");
    assert_eq!(memory["summarizedThroughId"], *last);
    let back: Session = serde_json::from_value(document).unwrap();
    assert_eq!(back, talk.session().await);
}

#[tokio::test]
async fn calls_stay_with_their_answers_and_what_stays_begins_with_the_user() {
    let mut talk = Talk::new(steps(short().recent_messages(3)), model()).await;
    talk.say("one").await;
    talk.say("look").await;
    assert_eq!(
        talk.memory("Talks").await,
        ["human: look", "ai: [look, look]", "tool: found", "tool: found", "ai: Yes."]
    );
    let text = talk.last_request().latest().unwrap().content.clone();
    assert!(!text.contains("look"), "{text}");
    talk.say("two").await;
    assert_eq!(talk.memory("Talks").await[0], "human: look");
    talk.say("three").await;
    let text = talk.last_request().latest().unwrap().content.clone();
    assert!(text.contains(r#""calls":[{"tool":"look","arguments":"{}"}"#), "{text}");
    assert!(text.contains(r#"{"speaker":"tool","tool":"look","status":"success","text":"found"}"#));
}

#[tokio::test]
async fn by_default_it_begins_at_16_messages_and_8_stay() {
    let mut talk = Talk::new(steps(Compaction::new()), model()).await;
    for turn in 1..=7 {
        talk.say(&turn.to_string()).await;
    }
    assert_eq!(requests_for_summaries(&talk).len(), 0);
    assert_eq!(talk.memory("Talks").await.len(), 14);
    talk.say("8").await;
    assert_eq!(requests_for_summaries(&talk).len(), 1);
    assert_eq!(talk.memory("Talks").await.len(), 8);
    assert_eq!(talk.memory("Talks").await[0], "human: 5");
}

#[tokio::test]
async fn nothing_is_summed_up_for_steps_that_did_not_ask() {
    let mut talk = Talk::new(Steps::new().add(Talks), model()).await;
    for turn in 0..20 {
        talk.say(&turn.to_string()).await;
    }
    assert_eq!(requests_for_summaries(&talk).len(), 0);
    assert_eq!(talk.memory("Talks").await.len(), 40);
}

#[tokio::test]
async fn a_summary_goes_to_its_own_model_with_its_own_prompt() {
    let own = ModelRef::new("test", "small");
    let compaction = short().model(own.clone()).prompt("In three words.");
    let mut talk = Talk::new(steps(compaction), model()).await;
    talk.say("one").await;
    talk.say("two").await;
    let request = talk.last_request();
    assert_eq!((&request.model, request.prompt()), (&own, "In three words."));
    // Without one it is the flow's, also for a step with a model of its own.
    let step = Talks.model(own).compaction(short());
    let mut talk = Talk::new(Steps::new().add(step), model()).await;
    talk.say("one").await;
    talk.say("two").await;
    assert_eq!(talk.last_request().model, ModelRef::new("test", "script"));
}

#[tokio::test]
async fn tokens_of_a_summary_are_those_of_its_turn() {
    let mut talk = Talk::new(steps(short()), model()).await;
    talk.say("one").await;
    // Replies of `on` cost nothing to count here: each reads 10 tokens and writes 5.
    let reply = talk.say("two").await;
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (110, 25));
    assert_eq!(talk.session().await.tokens.total_tokens, 15 + 135);
}

#[tokio::test]
async fn a_session_that_has_ended_is_not_summed_up() {
    let mut talk = Talk::new(steps(short()), model()).await;
    talk.say("one").await;
    let reply = talk.say("end").await;
    assert!(reply.completed);
    assert_eq!(requests_for_summaries(&talk).len(), 0);
}

/// Two turns with a model whose summaries come to `summary`; returns the warning of the second, and what it cost.
async fn failing(
    summary: impl Fn() -> Result<ModelReply, ModelError> + Send + Sync + 'static,
    compaction: Compaction,
) -> (Talk, String, String) {
    let model =
        ScriptedModel::new().answer(Rule::summary(), move |_| summary()).on(Rule::new(), "Yes.");
    let mut talk = Talk::new(steps(compaction), model).await;
    talk.say("one").await;
    let reply = talk.say("two").await;
    assert_eq!(talk.memory("Talks").await.len(), 4);
    let session = talk.session().await;
    assert_eq!(session.flow.memory["Talks"].summary, None);
    let [warning] = &warnings(&reply)[..] else { panic!("{reply:?}") };
    let entry = session.warn.last().unwrap();
    assert_eq!(entry.message, *warning);
    assert_eq!(entry.extra["step"], "Talks");
    let code = entry.extra["code"].as_str().unwrap().to_owned();
    (talk, (*warning).to_owned(), code)
}

#[tokio::test]
async fn a_summary_that_fails_is_a_warning_and_leaves_the_history_as_it_was() {
    let start = "the memory `Talks` could not be summed up and stays as it was: ";
    let (mut talk, warning, code) = failing(|| Err(ModelError::transient("503")), short()).await;
    assert_eq!(warning, format!("{start}the model could not be reached: 503"));
    assert_eq!(code, "SUMMARY_FAILED");
    // The next turn tries again, with all that there is by now.
    talk.say("three").await;
    assert_eq!(requests_for_summaries(&talk).len(), 2);

    let (_, warning, code) = failing(|| Ok(ModelReply::text(" \n")), short()).await;
    assert_eq!((&*warning, &*code), (&*format!("{start}the summary was empty"), "SUMMARY_EMPTY"));

    let (_, warning, code) = failing(|| panic!("out of order"), short()).await;
    assert_eq!(warning, format!("{start}the model panicked: out of order"));
    assert_eq!(code, "SUMMARY_FAILED");

    let long = || Ok(ModelReply::text("12345").with_usage(Usage::new(1, 1)));
    let (talk, warning, code) = failing(long, short().summary_bytes(4)).await;
    assert!(warning.contains("the summary has 5 bytes, the limit is 4"), "{warning}");
    assert_eq!(code, "SUMMARY_TOO_LONG");
    // It was paid for all the same.
    assert_eq!(talk.session().await.tokens.total_tokens, 15 + 15 + 2);

    let blocked = || {
        let block = Block::new(BlockPhase::Reply, BlockReason::Safety);
        Err(ModelError::blocked(block.usage(Usage::new(3, 0))))
    };
    let (talk, _, code) = failing(blocked, short()).await;
    assert_eq!(code, "SUMMARY_BLOCKED");
    assert_eq!(talk.session().await.tokens.total_tokens, 15 + 15 + 3);
}

/// Answers, but never sums up.
struct Silent {
    /// Fires once it is asked.
    asked: CancellationToken,
}

impl ChatModel for Silent {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            if request.purpose == Purpose::Summary {
                self.asked.cancel();
                pending::<()>().await;
            }
            Ok(ModelReply::text("Yes."))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_has_the_time_of_its_steps_model() {
    let flow = TestFlow::new(steps(short()))
        .limits(Limits::default().model_timeout(Duration::from_secs(7)));
    let mut talk = Talk::of(flow, Silent { asked: CancellationToken::new() }).await;
    talk.say("one").await;
    let reply = talk.say("two").await;
    assert_eq!(reply.text, "Yes.");
    assert!(warnings(&reply)[0].ends_with("the model did not answer within 7s"));
}

#[tokio::test]
async fn a_summary_is_cancelled_with_its_turn() {
    let asked = CancellationToken::new();
    let mut talk = Talk::new(steps(short()), Silent { asked: asked.clone() }).await;
    talk.say("one").await;
    let before = talk.session().await;
    // The turn is told to stop when the summary is asked for.
    let turn = talk.turn("two").cancellation(asked);
    let error = talk.run(turn).await.unwrap_err();
    assert!(matches!(error, TurnError::Cancelled), "{error}");
    assert_eq!(talk.session().await, before);
}

/// Remembers the model calls.
#[derive(Clone, Default)]
struct Sites(Arc<Mutex<Vec<String>>>);

impl Host for Sites {
    fn model_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.0.lock().unwrap().push(format!("{} {:?}", site.step, site.call));
        call
    }
}

#[tokio::test]
async fn a_summary_goes_through_the_host_like_every_model_call() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let sites = Sites::default();
    let flow = TestFlow::new(steps(short()));
    let host = sites.clone();
    let mut talk =
        Talk::open(flow, model(), Arc::clone(&store), store, |engine| engine.host(host)).await;
    talk.say("one").await;
    talk.say("two").await;
    assert_eq!(*sites.0.lock().unwrap(), ["Talks None"; 3]);
}

#[tokio::test]
async fn a_step_without_a_prompt_has_the_summary_in_the_first_place() {
    struct Quiet;

    #[tools]
    impl Step for Quiet {}

    let mut talk = Talk::new(Steps::new().add(Quiet.compaction(short())), model()).await;
    for text in ["one", "two", "three"] {
        talk.say(text).await;
    }
    let seen = talk.requests();
    let request = seen.iter().rfind(|request| request.purpose == Purpose::Reply).unwrap();
    assert_eq!(request.prompt(), "");
    assert!(request.messages[0].is_summary());
    assert!(request.summary().is_some());
}

#[tokio::test]
async fn a_summary_stays_when_a_later_flow_does_not_ask_any_more() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut talk = Talk::on(TestFlow::new(steps(short())), model(), Arc::clone(&store)).await;
    talk.say("one").await;
    talk.say("two").await;
    let mut later = Talk::on(TestFlow::new(Steps::new().add(Talks)), model(), store).await;
    let turn = later.opening().session(talk.id()).message("three");
    later.run(turn).await.unwrap();
    assert!(later.last_request().summary().unwrap().content.ends_with("summary 1"));
}

#[tokio::test]
async fn nothing_at_all_may_stay() {
    let compaction = Compaction::new().min_messages(1).recent_messages(0);
    let mut talk = Talk::new(steps(compaction), model()).await;
    for text in ["one", "look", "three"] {
        talk.say(text).await;
        assert_eq!(talk.memory("Talks").await, [""; 0]);
    }
    let session = talk.session().await;
    assert_eq!(session.flow.memory["Talks"].summary.as_deref(), Some("summary 3"));
}

#[tokio::test]
async fn a_history_that_is_too_much_for_one_summary_is_summed_up_turn_by_turn() {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let mut before =
        Talk::on(TestFlow::new(Steps::new().add(Talks)), model(), Arc::clone(&store)).await;
    for _ in 0..10 {
        before.say("0123456789").await;
    }
    // Each turn has 14 bytes of text.
    let compaction = short().transcript_bytes(14 * 4);
    let mut talk = Talk::on(TestFlow::new(steps(compaction)), model(), store).await;
    for left in [7, 4, 1, 1] {
        let turn = talk.opening().session(before.id()).message("0123456789");
        talk.run(turn).await.unwrap();
        assert_eq!(talk.memory("Talks").await.len(), 2 * left);
    }
}

#[tokio::test]
async fn a_failed_turn_leaves_the_stored_summary_as_it_was() {
    let fails = ScriptedModel::new()
        .answer(Rule::new().latest("fail"), |_| Err(ModelError::permanent("out of order")))
        .on(Rule::summary(), "so far")
        .on(Rule::new(), "Yes.");
    let mut talk = Talk::new(steps(short()), fails).await;
    talk.say("one").await;
    talk.say("two").await;
    let before = talk.session().await;
    talk.fail("fail").await;
    assert_eq!(talk.session().await.flow, before.flow);
}
