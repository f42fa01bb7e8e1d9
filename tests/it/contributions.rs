//! Where contributions count: against other writes, in nested batches, in handlers that fail, outside of children.

use super::channels::{channels, give, lab};
use crate::support::{Lab, Setup, Talk, outcomes, worker};
use picoflow::{
    BatchError, ChildFailure, TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn a_field_that_two_children_write_without_a_channel_names_both_and_the_field() {
    let mut lab = lab(|| {
        [
            worker("a", json!([{ "save": { "x": 1 } }])),
            worker("b", json!([{ "save": { "y": 1 } }])),
            worker("c", json!([{ "save": { "x": 1 } }])),
        ]
    })
    .await;
    let (_, came) = lab.start().await;
    let error = came.unwrap_err();
    assert_eq!(error.code(), "PARALLEL_STATE_CONFLICT");
    let BatchError::Conflict { step, field, key: None, first, second, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((step.as_str(), &**field), ("Worker", "x"));
    assert_eq!((first.to_string(), second.to_string()), ("Worker[a]".into(), "Worker[c]".into()));
    assert!(error.to_string().contains("declare a channel"), "{error}");
    assert_eq!(lab.state().await, Value::Null);
}

#[tokio::test]
async fn two_children_that_write_what_was_there_conflict_all_the_same() {
    for second in [json!({ "save": { "x": 1 } }), json!({ "remove": "x" })] {
        let save = json!({ "save": { "x": 1 } });
        let (first_round, second_round) = (save.clone(), second);
        let is_first = AtomicBool::new(true);
        let mut lab = lab(move || {
            if is_first.swap(false, Ordering::Relaxed) {
                return vec![worker("a", json!([first_round]))];
            }
            vec![worker("a", json!([save])), worker("b", json!([second_round]))]
        })
        .await;
        lab.start().await.1.unwrap();
        let (_, came) = lab.start().await;
        assert_eq!(came.unwrap_err().code(), "PARALLEL_STATE_CONFLICT");
        assert_eq!(lab.state().await, json!({ "x": 1 }));
    }
}

#[tokio::test]
async fn a_field_is_written_or_contributed_to_but_not_both() {
    let save = json!({ "save": { "total": 5 } });
    for (a, b, writers) in [
        (json!([save]), json!([give("total", 1)]), ["Worker[a]", "Worker[b]"]),
        (
            json!([give("total", 1)]),
            json!([{ "remove": "total" }, save]),
            ["Worker[a]", "Worker[b]"],
        ),
        (json!([save, give("total", 1)]), json!([]), ["Worker[a]", "Worker[a]"]),
    ] {
        let mut lab = lab(move || [worker("a", a.clone()), worker("b", b.clone())]).await;
        let (_, came) = lab.start().await;
        let error = came.unwrap_err();
        let BatchError::Conflict { field, first, second, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(&**field, "total");
        assert_eq!([first.to_string(), second.to_string()], writers);
    }
    // Alone it may be written like any other.
    let mut lab = lab(move || [worker("a", json!([save])), worker("b", json!([]))]).await;
    lab.start().await.1.unwrap();
    assert_eq!(lab.state().await, json!({ "total": 5 }));
}

#[tokio::test]
async fn a_field_without_a_channel_takes_no_contributions() {
    let mut lab = lab(|| [worker("a", json!([give("other", 1)]))]).await;
    let (_, came) = lab.start().await;
    let error = came.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`other`") && text.contains("`Step::state_channels`"), "{text}");
    assert_eq!(error.code(), "PARALLEL_MUTATION");
}

#[tokio::test]
async fn a_child_of_run_step_in_a_branch_whose_values_are_refused_is_not_kept() {
    struct Gives;

    #[tools]
    impl Step for Gives {
        fn state_channels(&self) -> Channels {
            channels()
        }

        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.contribute("total", "no number");
            cx.save_state(json!({ "entered": true }));
            Ok(())
        }
    }

    struct Asks;

    #[tools]
    impl Step for Asks {
        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            let error = cx.run_step(Gives::ID, None).await.unwrap_err();
            assert_eq!(error.code(), "PARALLEL_CONTRIBUTION");
            assert!(matches!(&error.failure, ChildFailure::NotKept(_)));
            assert!(
                error
                    .to_string()
                    .starts_with("child `Gives`: child `Asks[#0]/Gives[#0]` contributed")
            );
            Ok(())
        }
    }

    let setup = Setup { more: |steps| steps.add(Gives).add(Asks), ..Setup::default() };
    let mut lab = Lab::with(setup, || [Child::new(Asks::ID)]).await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok"]);
    assert_eq!(lab.talk.state("Gives").await, Value::Null);
}

#[tokio::test]
async fn what_a_child_and_its_children_contribute_is_taken_once_and_in_order() {
    let ops = |n: u32| {
        let inner =
            json!([["x", [give("total", n), give("items", n)]], ["y", [give("items", n + 1)]]]);
        json!([give("items", 10 * n), { "nest": inner }, { "see": 1 }, give("items", n + 2)])
    };
    let mut lab = lab(move || [worker("a", ops(1)), worker("b", ops(4))]).await;
    let (_, came) = lab.start().await;
    assert_eq!(outcomes(&came.unwrap()), ["ok", "ok"]);
    assert_eq!(lab.state().await, json!({ "total": 5, "items": [10, 1, 2, 3, 40, 4, 5, 6] }));
    // A branch sees what its own batch came to, and its sibling's nothing.
    let saw: Vec<_> = lab.journal.take().into_iter().filter(|line| line.contains("sees")).collect();
    assert_eq!(
        saw,
        [
            r#"Worker[a] sees {"total":1,"items":[1,2]}"#,
            r#"Worker[b] sees {"total":4,"items":[4,5]}"#
        ]
    );
}

#[tokio::test]
async fn what_a_failed_handler_contributed_is_undone() {
    struct Counts;

    #[tools]
    impl Step for Counts {
        fn state_channels(&self) -> Channels {
            channels()
        }

        /// Count
        #[tool(define)]
        fn count(&self, cx: &mut Cx<'_>, n: u32, fails: bool) -> Result<ToolResponse, ToolError> {
            cx.contribute("total", n);
            if fails {
                return Err(ToolError::internal("no"));
            }
            Ok(direct_result(n))
        }
    }

    struct Asks;

    #[tools]
    impl Step for Asks {
        /// Start
        #[tool(define)]
        async fn begin(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
            cx.run_steps([Child::new(Counts::ID).key("a"), Child::new(Counts::ID).key("b")])
                .await?;
            Ok(stay())
        }
    }

    let count = |n: u32, fails: bool| [("count", json!({ "n": n, "fails": fails }))];
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Asks").latest("Hi"), [("begin", json!({}))])
        .on(Rule::new().step("Asks"), "Done.")
        .on_call(Rule::new().latest("Start"), count(100, true))
        .on_call(Rule::new(), count(1, false));
    let mut talk = Talk::new(Steps::new().add(Asks).add(Counts), model).await;
    talk.say("Hi").await;
    assert_eq!(talk.state("Counts").await, json!({ "total": 2 }));
}

#[tokio::test]
async fn outside_of_a_child_a_contribution_counts_at_once() {
    struct Counts;

    #[tools]
    impl Step for Counts {
        fn state_channels(&self) -> Channels {
            channels()
        }

        async fn on_response(
            &self,
            cx: &mut Cx<'_>,
            output: ModelOutput,
        ) -> HookResult<StepResponse> {
            cx.contribute("total", 2);
            cx.contribute("total", 3);
            assert_eq!(cx.state()["total"], 5);
            cx.contribute("keyed", "x");
            cx.contribute(
                "total",
                if output.into_text() == "Bad." { json!("x") } else { json!(0) },
            );
            Ok("Counted.".into())
        }
    }

    let model = ScriptedModel::new().on(Rule::new().latest("bad"), "Bad.").on(Rule::new(), "Good.");
    let mut talk = Talk::new(Steps::new().add(Counts), model).await;
    talk.say("good").await;
    assert_eq!(talk.state("Counts").await, json!({ "total": 5, "keyed": { "Counts": "x" } }));
    let mut talk = Talk::new(
        Steps::new().add(Counts),
        ScriptedModel::new().on(Rule::new().latest("Hi"), "Hi.").on(Rule::new(), "Bad."),
    )
    .await;
    let error = talk.fail("bad").await;
    assert!(
        matches!(&error, TurnError::Misuse { reason, .. } if reason.contains("channel `sum` takes a number")),
        "{error}"
    );
}

#[tokio::test]
async fn a_derived_step_has_the_channels_of_its_base() {
    struct Base;

    #[tools]
    impl Step for Base {
        fn state_channels(&self) -> Channels {
            channels()
        }
    }

    struct Derived(Base);

    #[tools]
    impl Step for Derived {
        fn base(&self) -> Option<&dyn AnyStep> {
            Some(&self.0)
        }

        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.contribute("total", 1);
            Ok(())
        }
    }

    let setup = Setup { more: |steps| steps.add(Derived(Base)), ..Setup::default() };
    let mut lab =
        Lab::with(setup, || [Child::new(Derived::ID).key("a"), Child::new(Derived::ID).key("b")])
            .await;
    lab.start().await.1.unwrap();
    assert_eq!(lab.talk.state("Derived").await, json!({ "total": 2 }));
}
