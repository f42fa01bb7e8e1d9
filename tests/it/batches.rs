//! `run_steps` with options: all or nothing, so many at a time; what does not start, and what fails.

use crate::support::{Lab, Setup, outcomes, worker};
use picoflow::{Batch, BatchError, ChildFailure, TurnError, prelude::*};
use tokio::time::Instant;

fn rejected(came: Result<Batch, BatchError>) -> Batch {
    match came {
        Err(BatchError::Rejected { batch }) => batch,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_atomic_batch_in_which_all_succeed_is_published() {
    let mut lab = Lab::new(|| {
        let save = |key: &str| worker(key, json!([{ "save": { key: 1 } }]));
        Children::new([save("a"), save("b")]).atomic()
    })
    .await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok", "ok"]);
    assert_eq!(lab.state().await, json!({ "a": 1, "b": 1 }));
    assert_eq!(lab.traces().await, (2, vec!["Worker[a] works".into(), "Worker[b] works".into()]));
}

#[tokio::test(start_paused = true)]
async fn one_failure_of_an_atomic_batch_cancels_the_others_and_leaves_nothing_but_tokens() {
    let mut lab = Lab::new(|| {
        let save = json!({ "save": { "x": 1 } });
        Children::new([
            worker("done", json!([save])),
            worker(
                "running",
                json!([{ "save": { "y": 1 } }, { "until told": 1 }, { "fail": "told" }]),
            ),
            worker("fails", json!([{ "wait": 20 }, { "fail": "on its own" }])),
            worker("waits", json!([save])),
        ])
        .concurrency(2)
        .atomic()
    })
    .await;
    let (reply, came) = lab.start().await;
    let error = came.unwrap_err();
    assert_eq!(error.code(), "PARALLEL_REJECTED");
    let text = error.to_string();
    assert!(
        text.starts_with("child `Worker[fails]`: step `Worker`, `on_enter`: on its own;"),
        "{text}"
    );
    let batch = rejected(Err(error));
    assert_eq!(
        outcomes(&batch),
        ["ok", "PARALLEL_CANCELLED", "HOOK_FAILED", "PARALLEL_NOT_STARTED"]
    );
    assert_eq!(lab.state().await, Value::Null);
    assert_eq!(lab.traces().await, (0, vec![]));
    // `done` asked once, and the starter twice.
    assert_eq!(reply.usage.input_tokens, 30);
    assert_eq!(lab.talk.memory("Worker").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn no_more_children_run_at_a_time_than_allowed_and_they_start_in_order() {
    for (most, time) in [(1, 60), (2, 30), (4, 20), (usize::MAX, 10)] {
        let mut lab = Lab::new(move || {
            let keys = ["a", "b", "c", "d", "e", "f"];
            Children::new(keys.map(|key| worker(key, json!([{ "wait": 10 }])))).concurrency(most)
        })
        .await;
        let began = Instant::now();
        let (_, came) = lab.start().await;
        assert_eq!(outcomes(&came.unwrap()), ["ok"; 6]);
        assert_eq!(began.elapsed().as_millis(), time, "{most} at a time");
        let (mut running, mut entered) = (0, Vec::new());
        for line in lab.journal.take() {
            let (who, what) = line.split_once(' ').unwrap();
            match what {
                "enters" => {
                    running += 1;
                    entered.push(who.to_owned());
                }
                "exits" => running -= 1,
                _ => {}
            }
            assert!(running <= most, "{running} of {most}");
        }
        assert!(entered.is_sorted(), "{entered:?}");
    }
}

#[tokio::test]
async fn a_batch_that_nothing_can_run_of_does_not_start() {
    let mut lab = Lab::new(|| Children::new([worker("a", json!([]))]).concurrency(0)).await;
    let (_, came) = lab.start().await;
    let error = came.unwrap_err();
    assert_eq!(error.code(), "PARALLEL_CONFIGURATION");
    assert!(matches!(&error, BatchError::Configuration { step, .. } if *step == "Starter"));
    assert_eq!(lab.journal.take(), [""; 0]);
}

#[tokio::test]
async fn a_child_that_does_not_exist_starts_nothing() {
    let mut lab = Lab::new(|| [worker("a", json!([])), Child::new("Nobody")]).await;
    let (_, came) = lab.start().await;
    let error = came.unwrap_err();
    assert_eq!(error.code(), "STEP_UNKNOWN");
    assert!(
        matches!(&error, BatchError::UnknownStep { step, index: 1, .. } if *step == "Nobody"),
        "{error}"
    );
    assert_eq!(lab.journal.take(), [""; 0]);
}

#[tokio::test]
async fn a_child_that_panics_fails_alone() {
    let mut lab = Lab::new(|| {
        [worker("a", json!([{ "panic": 1 }])), worker("b", json!([{ "save": { "x": 1 } }]))]
    })
    .await;
    let (_, came) = lab.start().await;
    let batch = came.unwrap();
    assert_eq!(outcomes(&batch), ["TURN_PANICKED", "ok"]);
    let (_, error) = batch.rejected().next().unwrap();
    assert!(
        matches!(&error.failure, ChildFailure::Failed(error) if matches!(&**error, TurnError::Panicked { .. }))
    );
    assert_eq!(error.branch.as_ref().unwrap().to_string(), "Worker[a]");
    assert_eq!(lab.state().await, json!({ "x": 1 }));
}

#[tokio::test]
async fn a_child_that_oversteps_fails_its_batch() {
    let mut lab = Lab::new(|| {
        let inner = json!([["x", []], ["y", [{ "complete": 1 }]]]);
        [worker("a", json!([{ "nest": inner }])), worker("b", json!([]))]
    })
    .await;
    let (_, came) = lab.start().await;
    let error = came.unwrap_err();
    assert_eq!(error.code(), "PARALLEL_MUTATION");
    // The inner child's mistake, which its parent passed on, is that of the batch's own child.
    assert!(error.to_string().starts_with("child `Worker[a]`: step `Worker`: a child"), "{error}");
}

#[tokio::test]
async fn children_that_cannot_be_told_apart_are_named_by_their_places() {
    for (keys, expected) in [
        (["a", "b", "a"], (Some("a"), 0, 2)),
        (["a", "", "b"], (None, 0, 1)),
        (["", "a", "b"], (None, 0, 1)),
    ] {
        let mut lab = Lab::new(move || keys.map(|key| worker(key, json!([])))).await;
        let (_, came) = lab.start().await;
        let error = came.unwrap_err();
        assert_eq!(error.code(), "PARALLEL_DUPLICATE_KEY");
        let BatchError::DuplicateKey { step, key, first, second } = &error else {
            panic!("{error}");
        };
        assert_eq!((step.as_str(), (key.as_deref(), *first, *second)), ("Worker", expected));
        assert!(error.to_string().contains("`Child::key`"));
        assert_eq!(lab.journal.take(), [""; 0]);
    }
}

#[tokio::test]
async fn children_in_children_meet_the_limit_of_levels_before_they_start() {
    let limits = Limits::default().nesting(2);
    let mut lab = Lab::with(Setup { limits, ..Setup::default() }, || {
        let deepest = json!([["c", []]]);
        let inner = json!([["b", [{ "try": deepest }]]]);
        [worker("a", json!([{ "nest": inner }]))]
    })
    .await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok"]);
    let journal = lab.journal.take();
    let refused = "PARALLEL_LIMIT step `Worker`: `run_steps` would pass the limit of 2 levels of children in one turn: start fewer, or raise it in `Flow::limits`";
    assert!(journal.contains(&refused.to_owned()), "{journal:?}");
    assert!(!journal.iter().any(|line| line.contains("Worker[c]")));
}

#[tokio::test]
async fn a_batch_without_room_takes_none() {
    let limits = Limits::default().invocations(3);
    let mut lab = Lab::with(Setup { limits, ..Setup::default() }, || {
        let three = json!([["x", []], ["y", []], ["z", []]]);
        let two = json!([["x", []], ["y", []]]);
        let one = json!([["w", []]]);
        [worker("a", json!([{ "try": three }, { "try": two }, { "try": one }]))]
    })
    .await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok"]);
    let journal = lab.journal.take();
    let limit = "would pass the limit of 3 children in one turn";
    let tries: Vec<_> =
        journal.iter().filter(|line| *line == "ok" || line.contains(limit)).collect();
    assert_eq!(tries.len(), 3);
    assert_eq!(tries[1], "ok");
}

#[tokio::test]
async fn a_child_of_run_step_in_a_branch_is_a_batch_of_one() {
    struct Fails;

    #[tools]
    impl Step for Fails {
        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.save_state(json!({ "entered": true }));
            let own = cx.parallel().ok_or("not a child")?;
            Err(format!("as {}", own.id).into())
        }
    }

    struct Works;

    #[tools]
    impl Step for Works {
        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.save_state(json!({ "entered": true }));
            Ok(())
        }
    }

    let setup = Setup { more: |steps| steps.add(Fails).add(Works), ..Setup::default() };
    let mut lab =
        Lab::with(setup, || [worker("a", json!([{ "run": "Fails" }, { "run": "Works" }]))]).await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok"]);
    let journal = lab.journal.take();
    assert_eq!(
        journal[1..3],
        [
            "child `Worker[a]/Fails[#0]`: step `Fails`, `on_enter`: as Worker[a]/Fails[#0]",
            r#""Done.""#
        ]
    );
    assert_eq!(lab.talk.state("Fails").await, Value::Null);
    assert_eq!(lab.talk.state("Works").await, json!({ "entered": true }));
    assert_eq!(lab.talk.memory("Works").await, [""; 0]);
}
