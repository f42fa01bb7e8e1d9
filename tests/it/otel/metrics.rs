//! What is counted and measured.

use super::{build, calls, detailed, engine, seen::Seen, talks, turn};
use futures_util::poll;
use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::time::Duration;
use tokio::time::sleep;

/// Takes a second.
struct Slow;

impl ChatModel for Slow {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async {
            sleep(Duration::from_secs(1)).await;
            Ok(ModelReply::text("Hello.").with_usage(detailed()))
        })
    }
}

const OF_MODEL: &str =
    "gen_ai.operation.name=chat gen_ai.provider.name=test gen_ai.request.model=script";

fn close(actual: f64, expected: f64) -> bool {
    (actual - expected).abs() < 0.01
}

#[tokio::test(start_paused = true)]
async fn durations_are_in_seconds_and_tokens_by_their_type() {
    let seen = Seen::new();
    let engine = engine(&seen, Slow).await;
    engine.run(turn("Hi")).await.unwrap();
    engine.run(turn("Hi")).await.unwrap();
    let all = seen.histograms();

    let (unit, chats) = &all["gen_ai.client.operation.duration"];
    assert_eq!((&**unit, chats.len()), ("s", 1));
    let (count, sum) = chats[OF_MODEL];
    assert!(count == 2 && close(sum, 2.0), "{count} {sum}");

    let (unit, tokens) = &all["gen_ai.client.token.usage"];
    assert_eq!((&**unit, tokens.len()), ("{token}", 2));
    assert_eq!(tokens[&format!("{OF_MODEL} gen_ai.token.type=input")], (2, 200.0));
    assert_eq!(tokens[&format!("{OF_MODEL} gen_ai.token.type=output")], (2, 80.0));

    let (unit, turns) = &all["gen_ai.invoke_agent.duration"];
    assert_eq!((&**unit, turns.len()), ("s", 1));
    let (count, sum) = turns["gen_ai.agent.name=TestFlow picoflow.outcome=replied"];
    assert!(count == 2 && close(sum, 2.0), "{count} {sum}");
    assert!(!all.contains_key("gen_ai.execute_tool.duration"));
}

#[tokio::test(start_paused = true)]
async fn tools_are_measured_by_name_and_error() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("fail", json!({ "way": "hang" }))])).await;
    engine.run(turn("Hi")).await.unwrap();
    let (unit, tools) = &seen.histograms()["gen_ai.execute_tool.duration"];
    assert_eq!((&**unit, tools.len()), ("s", 1));
    let of = "error.type=TOOL_TIMED_OUT gen_ai.agent.name=TestFlow gen_ai.tool.name=fail gen_ai.tool.type=function";
    let (count, sum) = tools[of];
    assert!(count == 1 && close(sum, 120.0), "{count} {sum}");
}

#[tokio::test(start_paused = true)]
async fn turns_are_counted_by_outcome() {
    let seen = Seen::new();
    let engine = engine(&seen, Slow).await;
    let first = turn("Hi").token("t-1");
    engine.run(first.clone()).await.unwrap();
    engine.run(first).await.unwrap();
    engine.run(turn("Hi").session("nobody")).await.unwrap_err();
    {
        let mut running = Box::pin(engine.run(turn("Hi")));
        assert!(poll!(&mut running).is_pending());
    }
    let turns = &seen.histograms()["gen_ai.invoke_agent.duration"].1;
    let counts: Vec<_> = turns.iter().map(|(of, (count, _))| (&**of, *count)).collect();
    assert_eq!(
        counts,
        [
            ("error.type=SESSION_UNKNOWN gen_ai.agent.name=TestFlow picoflow.outcome=failed", 1),
            ("error.type=TURN_CANCELLED gen_ai.agent.name=TestFlow picoflow.outcome=cancelled", 1),
            ("gen_ai.agent.name=TestFlow picoflow.outcome=replayed", 1),
            ("gen_ai.agent.name=TestFlow picoflow.outcome=replied", 1),
        ]
    );
    // A stored answer costs nothing.
    let chats = &seen.histograms()["gen_ai.client.operation.duration"].1;
    assert_eq!(chats[OF_MODEL].0, 1);
}

#[tokio::test]
async fn tokens_that_nobody_told_of_are_not_counted() {
    let seen = Seen::new();
    let model = ScriptedModel::new().answer(Rule::new(), |_| Ok(ModelReply::text("Hello.")));
    engine(&seen, model).await.run(turn("Hi")).await.unwrap();
    let all = seen.histograms();
    assert!(all.contains_key("gen_ai.client.operation.duration"));
    assert!(!all.contains_key("gen_ai.client.token.usage"));
}

#[tokio::test]
async fn buckets_are_those_of_the_conventions() {
    let seen = Seen::new();
    let engine = engine(&seen, calls([("look_up", json!({ "topic": "x" }))])).await;
    engine.run(turn("Hi")).await.unwrap();
    let doubled = |first: f64, count: i32| (0..count).map(|n| first * f64::from(1 << n)).collect();
    let near = |actual: Vec<f64>, expected: Vec<f64>| {
        assert_eq!(actual.len(), expected.len());
        assert!(actual.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{actual:?}");
    };
    near(seen.buckets("gen_ai.client.operation.duration"), doubled(0.01, 14));
    near(seen.buckets("gen_ai.execute_tool.duration"), doubled(0.01, 14));
    near(seen.buckets("gen_ai.invoke_agent.duration"), doubled(0.1, 13));
    near(seen.buckets("gen_ai.client.token.usage"), (0..14).map(|n| 4_f64.powi(n)).collect());
}

#[tokio::test]
async fn what_is_said_does_not_change_what_is_measured() {
    let (plain, full) = (Seen::new(), Seen::new());
    build(plain.telemetry(), talks()).await.run(turn("Hi")).await.unwrap();
    build(full.telemetry().record_content(), talks()).await.run(turn("Hi")).await.unwrap();
    let names = |seen: &Seen| {
        let all = seen.histograms().into_iter();
        all.map(|(name, (_, points))| (name, points.into_keys().collect()))
            .collect::<Vec<(_, Vec<_>)>>()
    };
    assert_eq!(names(&plain), names(&full));
}
