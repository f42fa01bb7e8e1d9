//! picoflow: a call through `StepHarness`, the definitions of a step, turns on the memory store.

use crate::{ANSWER, ARGUMENTS, CALLS, MESSAGE, Row, expect};
use peers_tools::{picoflow_named as named, picoflow_shared as shared};
use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError, ModelReply},
    prelude::*,
    session::MessageKind,
    testing::StepHarness,
};
use std::hint::black_box;

/// Calls `add`, and says what came of it. `calls` is off for a model that only talks.
#[derive(Clone, Copy)]
struct Scripted {
    calls: bool,
}

impl ChatModel for Scripted {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let latest = request.latest().map(|message| &message.kind);
        let is_asked = !matches!(latest, Some(MessageKind::Tool { .. }));
        Box::pin(async move {
            Ok(if self.calls && is_asked {
                ModelReply::calls([ToolCall::from_text("call_1", "add", ARGUMENTS)])
            } else {
                ModelReply::text(ANSWER)
            })
        })
    }
}

async fn engine(flow: impl Flow, calls: bool) -> Engine {
    let engine = Engine::builder().flow(flow).model(Scripted { calls }).strict().build().await;
    engine.expect("the flow is sound")
}

async fn harness(flow: impl Flow, name: &str, step: &'static str) -> StepHarness {
    let engine = engine(flow, true).await;
    StepHarness::new(&engine, name, StepId::new(step)).expect("the flow has the step")
}

pub(crate) async fn add(rows: &mut Vec<Row>) {
    for (case, count, tool, sum) in CALLS {
        let (named, shared) = if count == 10 {
            let named = harness(named::ten::NamedFlow, "NamedFlow", "Named").await;
            (named, harness(shared::ten::SharedFlow, "SharedFlow", "Shared").await)
        } else {
            let named = harness(named::two_hundred::NamedFlow, "NamedFlow", "Named").await;
            (named, harness(shared::two_hundred::SharedFlow, "SharedFlow", "Shared").await)
        };
        rows.push(call(case, "picoflow, named parameters", named, tool, sum).await);
        rows.push(call(case, "picoflow, `Args<AddArgs>`", shared, tool, sum).await);
    }
    let case = "call, 2,000 tools";
    let named = harness(named::two_thousand::NamedFlow, "NamedFlow", "Named").await;
    rows.push(call(case, "picoflow, named parameters", named, "add", "42").await);
    let shared = harness(shared::two_thousand::SharedFlow, "SharedFlow", "Shared").await;
    rows.push(call(case, "picoflow, `Args<AddArgs>`", shared, "add", "42").await);
    let named = harness(named::ten::NamedFlow, "NamedFlow", "Named").await;
    rows.push(Row::prepared(
        "call, 10 tools",
        "picoflow, named parameters, `ToolCall` made for each",
        named,
        forget,
        async |harness: &mut StepHarness| {
            let call = ToolCall::from_text("call_1", black_box("add"), black_box(ARGUMENTS));
            black_box(harness.call(&call).await.is_ok());
        },
    ));

    rows.push(listing(engine(named::two_hundred::NamedFlow, true).await));
    add_turns(rows).await;
}

/// What happened in earlier calls, which a turn would have stored.
async fn forget(harness: &mut StepHarness, _: usize) {
    black_box(harness.take_warnings());
}

async fn call(case: &str, contender: &str, mut harness: StepHarness, tool: &str, sum: &str) -> Row {
    let call = ToolCall::from_text("call_1", tool, ARGUMENTS);
    expect(&harness.call(&call).await, sum);
    let once = async move |harness: &mut StepHarness| {
        black_box(harness.call(black_box(&call)).await.is_ok());
    };
    Row::prepared(case, contender, harness, forget, once)
}

fn listing(engine: Engine) -> Row {
    let once = async |engine: &mut Engine| {
        let flow = engine.flow(black_box("NamedFlow")).expect("it is there");
        for tool in flow.step(black_box("Named")).expect("it is there").tools() {
            black_box((tool.name(), tool.description(), tool.schema()));
        }
    };
    Row::new("list 200 definitions", "picoflow, `CompiledStep::tools`", engine, once)
}

async fn add_turns(rows: &mut Vec<Row>) {
    let turn = || Turn::new(named::one::NamedFlow::ID).message(MESSAGE);
    let first = engine(named::one::NamedFlow, true).await;
    let reply = first.run(turn()).await.expect("a turn");
    expect(&reply, ANSWER);
    expect(&first.session(&reply.session).await, "content: \"42\"");
    rows.push(Row::prepared(
        "turn with one tool call, new conversation",
        "picoflow, memory store",
        first,
        async |state: &mut Engine, _| *state = engine(named::one::NamedFlow, true).await,
        async move |engine: &mut Engine| {
            black_box(engine.run(turn()).await.is_ok());
        },
    ));

    let stored = (engine(named::one::NamedFlow, true).await, Vec::<String>::new());
    rows.push(Row::prepared(
        "turn with one tool call, second of a conversation",
        "picoflow, memory store",
        stored,
        async move |(state, sessions): &mut (Engine, Vec<String>), times| {
            *state = engine(named::one::NamedFlow, true).await;
            for _ in 0..times {
                sessions.push(state.run(turn()).await.expect("a turn").session);
            }
        },
        async move |(engine, sessions): &mut (Engine, Vec<String>)| {
            let session = sessions.pop().expect("one for each time");
            engine.run(turn().session(session)).await.expect("a turn");
        },
    ));

    rows.push(Row::prepared(
        "turn with a text reply, 1 tool",
        "picoflow, memory store",
        engine(named::one::NamedFlow, false).await,
        async |state: &mut Engine, _| *state = engine(named::one::NamedFlow, false).await,
        async move |engine: &mut Engine| {
            black_box(engine.run(turn()).await.is_ok());
        },
    ));
    rows.push(Row::prepared(
        "turn with a text reply, 200 tools",
        "picoflow, memory store",
        engine(named::two_hundred::NamedFlow, false).await,
        async |state: &mut Engine, _| *state = engine(named::two_hundred::NamedFlow, false).await,
        async move |engine: &mut Engine| {
            black_box(engine.run(turn()).await.is_ok());
        },
    ));
}
