//! Whatever children do and whoever is done first, a batch comes to what its request says.

mod model;

use crate::support::{Lab, Setup, outcomes, run_paused, worker};
use model::{Joined, Op, Plan};
use picoflow::{BatchError, prelude::*};
use proptest::{collection::vec, prelude::*, sample::select};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Puts texts one behind the other, so that their order shows, and refuses one.
fn chain(chain: Option<String>, link: String) -> Result<String, String> {
    if link == "no" { Err(link) } else { Ok(chain.unwrap_or_default() + &link) }
}

fn channels() -> Channels {
    Channels::new()
        .add("only", Channel::single_writer())
        .add("total", Channel::sum())
        .add("items", Channel::append())
        .add("unique", Channel::append_unique_by("id"))
        .add("keyed", Channel::keyed_by_branch())
        .add("record", Channel::merge_record())
        .add("chain", Channel::reduced(chain))
}

fn value() -> impl Strategy<Value = (&'static str, Value)> {
    let number = prop_oneof![6 => (-3..4_i32).prop_map(|n| json!(n)), 2 => Just(json!(0.1))];
    let record = (select(vec!["a", "b", "c"]), 0..2).prop_map(|(key, n)| json!({ key: n }));
    let text = prop_oneof![9 => "[a-z]", 1 => Just("no".to_owned())];
    prop_oneof![
        1 => (0..3).prop_map(|n| ("only", json!(n))),
        4 => number.prop_map(|n| ("total", n)),
        4 => (0..3).prop_map(|n| ("items", json!(n))),
        3 => (0..3, 0..3).prop_map(|(id, by)| ("unique", json!({ "id": id, "by": by }))),
        2 => (0..3).prop_map(|n| ("keyed", json!(n))),
        3 => record.prop_map(|record| ("record", record)),
        4 => text.prop_map(|text| ("chain", json!(text))),
        // What some of the channels do not take.
        1 => (select(vec!["total", "unique", "record", "chain"]), Just(json!([])))
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let field = || prop_oneof![9 => select(vec!["p", "q", "r", "s", "t", "u"]), 1 => Just("total")];
    prop_oneof![
        3 => (field(), 0..3).prop_map(|(field, n)| Op::Save(field, json!(n))),
        1 => field().prop_map(Op::Remove),
        10 => value().prop_map(|(field, value)| Op::Give(field, value)),
        1 => Just(Op::Fail),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let children = vec(vec(op(), 0..5), 0..4);
    let leaf =
        (any::<bool>(), children).prop_map(|(is_atomic, children)| Plan { is_atomic, children });
    leaf.prop_recursive(2, 24, 3, |inner| {
        let op = prop_oneof![5 => op(), 2 => inner.prop_map(Op::Nest)];
        (any::<bool>(), vec(vec(op, 0..4), 0..4))
            .prop_map(|(is_atomic, children)| Plan { is_atomic, children })
    })
}

/// A pause before each operation, so that children are done in another order with every seed.
struct Pauses(u64);

impl Pauses {
    fn next(&mut self) -> Value {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        json!({ "wait": (self.0 >> 33) % 7 })
    }

    /// The operations as a worker reads them.
    fn ops(&mut self, ops: &[Op]) -> Value {
        let mut list = Vec::new();
        for op in ops {
            list.push(self.next());
            list.push(match op {
                Op::Save(field, value) => json!({ "save": { *field: value } }),
                Op::Remove(field) => json!({ "remove": field }),
                Op::Give(field, value) => json!({ "give": [field, value] }),
                Op::Fail => json!({ "fail": "fails" }),
                Op::Nest(plan) => {
                    let children = plan.keyed().map(|(key, ops)| json!([key, self.ops(ops)]));
                    let children = children.collect::<Value>();
                    json!({ if plan.is_atomic { "nest atomic" } else { "nest" }: children })
                }
            });
        }
        list.push(self.next());
        list.into()
    }

    fn children(&mut self, plan: &Plan) -> Children {
        let children = plan.keyed().map(|(key, ops)| worker(&key, self.ops(ops)));
        let children = Children::new(children.collect::<Vec<_>>());
        let children = children.concurrency(1 + usize::try_from(self.0 >> 61).unwrap());
        if plan.is_atomic { children.atomic() } else { children }
    }
}

/// What came of one plan: the outcomes or the error, and what the session holds.
struct Seen {
    came: Result<Vec<&'static str>, BatchError>,
    session: String,
    tokens: u64,
}

/// Runs the plans one after the other in one conversation.
async fn play(plans: Vec<Plan>, seed: u64) -> Vec<Seen> {
    let (count, next) = (plans.len(), AtomicUsize::new(0));
    let start = move || {
        let place = next.fetch_add(1, Ordering::Relaxed);
        Pauses(seed).children(&plans[place])
    };
    let mut lab = Lab::with(Setup { channels, ..Setup::default() }, start).await;
    let mut seen = Vec::new();
    for _ in 0..count {
        let (_, came) = lab.start().await;
        let session = lab.talk.session().await;
        let log: Vec<_> = session.log.iter().map(|entry| &entry.message).collect();
        seen.push(Seen {
            came: came.map(|batch| outcomes(&batch)),
            session: json!([session.state("Worker"), session.flow.sequence, log]).to_string(),
            tokens: session.tokens.input_tokens,
        });
    }
    seen
}

/// What the session holds is what the request says, and the same in the same words whoever is done first.
async fn check(plans: Vec<Plan>, seeds: [u64; 2]) {
    let [one, other] = [play(plans.clone(), seeds[0]).await, play(plans.clone(), seeds[1]).await];
    let mut state = serde_json::Map::new();
    let has_atomic = plans.iter().any(Plan::has_atomic);
    for ((plan, one), other) in plans.iter().zip(one).zip(other) {
        assert_eq!(one.session, other.session);
        if !has_atomic {
            // Those that an atomic batch cancels have asked their models or not.
            assert_eq!(one.tokens, other.tokens);
        }
        match (one.came, other.came, plan.run(&state, "")) {
            (Ok(one), Ok(other), Ok(Joined { outcomes, state: joined, .. })) => {
                assert_eq!(one, other);
                let is_ok: Vec<_> = one.iter().map(|&code| code == "ok").collect();
                assert_eq!(is_ok, outcomes);
                state = joined;
            }
            (Err(one), Err(other), Err(expected)) => {
                assert!(expected.contains(&one.code()), "{expected:?} and not {one}");
                assert_eq!(one.code(), other.code());
                if one.code() != "PARALLEL_REJECTED" {
                    assert_eq!(one.to_string(), other.to_string());
                }
            }
            (one, other, expected) => panic!("{one:?}, {other:?}, {expected:?}"),
        }
        let stored: Value = serde_json::from_str(&one.session).unwrap();
        let stored = stored[0].as_object().cloned().unwrap_or_default();
        assert_eq!(stored, state);
    }
}

/// How a batch is stopped from outside.
#[derive(Clone, Copy, Debug)]
enum Stop {
    TimeOut(u64),
    Token(u64),
}

/// Runs the plan, stops it, and holds what is kept to what succeeded.
async fn check_stopped(plan: Plan, seed: u64, stop: Stop) {
    let (setup, request) = (Setup { channels, ..Setup::default() }, plan.clone());
    let mut lab = Lab::with(setup, move || {
        let children = Pauses(seed).children(&request);
        match stop {
            Stop::TimeOut(millis) => children.timeout(Duration::from_millis(millis)),
            Stop::Token(millis) => {
                let token = CancellationToken::new();
                let later = token.clone();
                tokio::spawn(async move {
                    sleep(Duration::from_millis(millis)).await;
                    later.cancel();
                });
                children.cancellation(token)
            }
        }
    })
    .await;
    let (_, came) = lab.start().await;
    let session = lab.talk.session().await;
    let state = session.state("Worker").and_then(Value::as_object).cloned().unwrap_or_default();
    let Ok(batch) = came else {
        assert!(state.is_empty());
        assert_eq!((session.flow.sequence.len(), session.log.len()), (1, 0));
        return;
    };
    let outcomes = outcomes(&batch);
    let is_stopped = |code: &str| code.starts_with("PARALLEL_");
    let mut kept = plan;
    for (ops, code) in kept.children.iter_mut().zip(&outcomes) {
        if *code != "ok" {
            *ops = vec![Op::Fail];
        }
    }
    assert_eq!(state, kept.run(&serde_json::Map::new(), "").unwrap().state);
    let traces: Vec<_> = session.flow.sequence.iter().filter(|entry| entry.level == 2).collect();
    assert_eq!(traces.len(), outcomes.iter().filter(|code| !is_stopped(code)).count());
    for (place, code) in outcomes.iter().enumerate().filter(|(_, code)| is_stopped(code)) {
        let own = format!("Worker[c{place}]");
        assert!(!session.log.iter().any(|entry| entry.message.starts_with(&own)), "{code}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_batch_comes_to_what_a_sequential_model_says_whoever_is_done_first(
        plans in vec(plan(), 1..4),
        seeds in any::<[u64; 2]>(),
    ) {
        run_paused(check(plans, seeds));
    }

    #[test]
    fn whenever_a_batch_is_stopped_it_keeps_what_succeeded_and_nothing_else(
        plan in plan(),
        seed in any::<u64>(),
        stop in prop_oneof![(0..40_u64).prop_map(Stop::TimeOut), (0..40_u64).prop_map(Stop::Token)],
    ) {
        run_paused(check_stopped(plan, seed, stop));
    }
}
