//! Which spans there are, how they nest, and what they hold.

use super::{
    SECRET, calls, detailed, engine, flow,
    seen::{Seen, attribute, number, text},
    talks, turn,
};
use crate::support::TestFlow;
use futures_util::StreamExt;
use opentelemetry_sdk::trace::SpanData;
use picoflow::{
    Engine, TurnBatch,
    model::ModelError,
    otel::opentelemetry::{
        Value as Attribute,
        trace::{SpanKind, Status},
    },
    prelude::*,
    testing::{Rule, ScriptedModel},
};

const TURN: &str = "invoke_agent TestFlow";
const CHAT: &str = "chat script";

fn texts<const N: usize>(span: &SpanData, expected: [(&str, &str); N]) {
    for (key, value) in expected {
        assert_eq!(text(span, key), value, "{key}");
    }
}

#[tokio::test]
async fn a_turn_holds_its_calls_in_their_order() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("look_up", json!({ "topic": "x" }))])).await;
    engine.run(turn("Hi")).await.unwrap();
    assert_eq!(
        seen.tree(),
        [
            TURN.to_owned(),
            format!("{TURN} > {CHAT}"),
            format!("{TURN} > execute_tool look_up"),
            format!("{TURN} > {CHAT}"),
        ]
    );
    for span in seen.spans() {
        assert_eq!(span.status, Status::Unset, "{}", span.name);
        assert_eq!(attribute(&span, "error.type"), None, "{}", span.name);
    }
}

#[tokio::test]
async fn a_turn_is_an_invocation_of_its_flow() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("leave", json!({}))])).await;
    let reply = engine.run(turn("Hi")).await.unwrap();
    let span = seen.span(TURN);
    assert_eq!(span.span_kind, SpanKind::Internal);
    texts(
        &span,
        [
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.provider.name", "test"),
            ("gen_ai.request.model", "script"),
            ("gen_ai.agent.name", "TestFlow"),
            ("gen_ai.conversation.id", &reply.session),
            ("picoflow.outcome", "replied"),
            ("picoflow.step", "Clerk"),
        ],
    );
    assert_eq!(number(&span, "gen_ai.usage.input_tokens"), 20);
    assert_eq!(number(&span, "gen_ai.usage.output_tokens"), 10);
}

#[tokio::test]
async fn a_model_call_tells_its_model_and_its_cost() {
    let seen = Seen::new();
    let model = ScriptedModel::new()
        .answer(Rule::new(), |_| Ok(ModelReply::text("Hello.").with_usage(detailed())));
    let engine = engine(&seen, model).await;
    let reply = engine.run(turn("Hi")).await.unwrap();
    let span = seen.span(CHAT);
    assert_eq!(span.span_kind, SpanKind::Client);
    texts(
        &span,
        [
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "test"),
            ("gen_ai.request.model", "script"),
            ("gen_ai.agent.name", "TestFlow"),
            ("gen_ai.conversation.id", &reply.session),
            ("picoflow.step", "Desk"),
            ("picoflow.purpose", "reply"),
        ],
    );
    assert_eq!(number(&span, "picoflow.attempt"), 1);
    assert_eq!(number(&span, "gen_ai.usage.input_tokens"), 100);
    assert_eq!(number(&span, "gen_ai.usage.output_tokens"), 40);
    assert_eq!(number(&span, "gen_ai.usage.cache_read.input_tokens"), 60);
    assert_eq!(number(&span, "gen_ai.usage.cache_creation.input_tokens"), 20);
    assert_eq!(number(&span, "gen_ai.usage.reasoning.output_tokens"), 30);
    assert_eq!(attribute(&span, "gen_ai.request.stream"), None);
}

/// A flow whose model has a well-known provider, and parameters.
struct Tuned;

impl Flow for Tuned {
    const ID: FlowId = FlowId::new("Tuned");

    fn model(&self) -> ModelRef {
        let model = ModelRef::new("gemini", "flash").param("temperature", 0.5);
        model.param("max_output_tokens", 64).param("seed", 7)
    }

    fn steps(&self) -> Steps {
        Steps::new().add(super::Clerk)
    }
}

#[tokio::test]
async fn a_provider_goes_by_its_well_known_name_and_parameters_are_told() {
    let seen = Seen::new();
    let builder = Engine::builder().flow(Tuned).model(ScriptedModel::new().on(Rule::new(), "Hi."));
    let engine = builder.host(seen.telemetry()).build().await.unwrap();
    engine.run(Turn::new(Tuned::ID).message("Hi")).await.unwrap();
    let span = seen.span("chat flash");
    assert_eq!(text(&span, "gen_ai.provider.name"), "gcp.gemini");
    assert_eq!(attribute(&span, "gen_ai.request.temperature"), Some(Attribute::F64(0.5)));
    assert_eq!(number(&span, "gen_ai.request.max_tokens"), 64);
    assert_eq!(number(&span, "gen_ai.request.seed"), 7);
    assert_eq!(attribute(&span, "gen_ai.request.top_p"), None);
}

#[tokio::test]
async fn a_tool_call_tells_what_was_called_and_what_was_decided() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("leave", json!({}))])).await;
    let reply = engine.run(turn("Hi")).await.unwrap();
    let span = seen.span("execute_tool leave");
    assert_eq!(span.span_kind, SpanKind::Internal);
    texts(
        &span,
        [
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "leave"),
            ("gen_ai.tool.call.id", "call_1"),
            ("gen_ai.tool.type", "function"),
            ("gen_ai.agent.name", "TestFlow"),
            ("gen_ai.conversation.id", &reply.session),
            ("picoflow.step", "Desk"),
            ("picoflow.transition", "go"),
            ("picoflow.target", "Clerk"),
        ],
    );
}

#[tokio::test]
async fn a_group_is_one_handler_and_one_span() {
    let seen = Seen::new();
    let group = [("left", json!({ "topic": "x" })), ("right", json!({}))];
    engine(&seen, calls(group)).await.run(turn("Hi")).await.unwrap();
    let span = seen.span("execute_tool left+right");
    assert_eq!(text(&span, "gen_ai.tool.call.id"), "call_1+call_2");
}

#[tokio::test]
async fn children_are_inside_of_the_handler_that_runs_them_and_tell_their_branch() {
    let seen = Seen::new();
    engine(&seen, calls([("ask_around", json!({}))])).await.run(turn("Hi")).await.unwrap();
    let inner = format!("{TURN} > execute_tool ask_around > {CHAT}");
    assert_eq!(
        seen.tree(),
        [
            TURN.to_owned(),
            format!("{TURN} > {CHAT}"),
            format!("{TURN} > execute_tool ask_around"),
            inner.clone(),
            inner.clone(),
            inner,
            format!("{TURN} > {CHAT}"),
        ]
    );
    let spans = seen.spans();
    let branches = spans.iter().filter_map(|span| attribute(span, "picoflow.branch"));
    let branches: Vec<_> = branches.map(|branch| branch.to_string()).collect();
    assert_eq!(branches, ["Clerk[a]", "Clerk[b]"]);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_a_span() {
    let seen = Seen::new();
    let model = ScriptedModel::new()
        .answer(Rule::new().times(1), |_| Err(ModelError::transient(format!("503 {SECRET}"))))
        .on(Rule::new().times(1), "")
        .on(Rule::new(), "Hello.");
    engine(&seen, model).await.run(turn("Hi")).await.unwrap();
    let chats: Vec<_> = seen.spans().into_iter().filter(|span| span.name == CHAT).collect();
    let attempts: Vec<_> = chats.iter().map(|span| number(span, "picoflow.attempt")).collect();
    assert_eq!(attempts, [1, 2, 3]);
    assert_eq!(text(&chats[0], "error.type"), "MODEL_UNAVAILABLE");
    assert_eq!(chats[0].status, Status::error(""));
    assert_eq!((&chats[1].status, &chats[2].status), (&Status::Unset, &Status::Unset));
    assert_eq!(seen.span(TURN).status, Status::Unset);
}

#[tokio::test]
async fn a_stream_has_the_spans_of_a_turn_and_says_that_it_is_one() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("look_up", json!({ "topic": "x" }))])).await;
    engine.run(turn("Hi")).await.unwrap();
    let whole = seen.tree();
    let streamed = Seen::new();
    let engine = super::engine(&streamed, calls([("look_up", json!({ "topic": "x" }))])).await;
    let events: Vec<_> = engine.stream(turn("Hi")).collect().await;
    assert!(events.iter().all(Result::is_ok));
    assert_eq!(streamed.tree(), whole);
    let chats = streamed.spans().into_iter().filter(|span| span.name == CHAT);
    for chat in chats {
        assert_eq!(attribute(&chat, "gen_ai.request.stream"), Some(Attribute::Bool(true)));
    }
}

#[tokio::test]
async fn items_of_a_batch_are_turns_of_their_own() {
    let seen = Seen::new();
    let engine = engine(&seen, talks()).await;
    let batch = TurnBatch::new("b").item("1", turn("Hi")).item("2", turn("Hi"));
    assert_eq!(engine.run_batch(batch).unwrap().count().await, 2);
    let turns = seen.spans().into_iter().filter(|span| span.name == TURN);
    let mut ids: Vec<_> = turns.map(|span| text(&span, "gen_ai.conversation.id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["b:1", "b:2"]);
}

#[tokio::test]
async fn a_turn_is_inside_of_the_span_of_its_caller() {
    let seen = Seen::new();
    let engine = engine(&seen, talks()).await;
    let outer = tracing::info_span!("request");
    tracing::Instrument::instrument(engine.run(turn("Hi")), outer).await.unwrap();
    assert_eq!(
        seen.tree(),
        ["request".to_owned(), format!("request > {TURN}"), format!("request > {TURN} > {CHAT}")]
    );
}

#[tokio::test]
async fn without_a_subscriber_turns_run_as_ever() {
    let telemetry = picoflow::otel::Telemetry::new();
    let engine = Engine::builder().flow(flow()).model(talks()).host(telemetry);
    let reply = engine.build().await.unwrap().run(Turn::new(TestFlow::ID).message("Hi")).await;
    assert_eq!(reply.unwrap().text, format!("Done, {SECRET}."));
}
