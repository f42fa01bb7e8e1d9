//! State channels: what each takes, what it gives, what it refuses.

use crate::support::{Lab, Setup, TestFlow, outcomes, worker};
use picoflow::{BatchError, BuildError, flow::BuildFault, prelude::*, testing::ScriptedModel};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Serialize, Deserialize)]
struct Best {
    name: String,
    points: u32,
}

fn best(best: Option<Best>, new: Best) -> Result<Best, &'static str> {
    match best {
        _ if new.name.is_empty() => Err("nobody"),
        _ if new.name == "trap" => panic!("the reducer bursts"),
        Some(best) if best.points >= new.points => Ok(best),
        _ => Ok(new),
    }
}

pub(crate) fn channels() -> Channels {
    Channels::new()
        .add("only", Channel::single_writer())
        .add("total", Channel::sum())
        .add("items", Channel::append())
        .add("unique", Channel::append_unique_by("id"))
        .add("keyed", Channel::keyed_by_branch())
        .add("record", Channel::merge_record())
        .add("best", Channel::reduced(best))
}

pub(crate) fn give(field: &str, value: impl Into<Value>) -> Value {
    json!({ "give": [field, value.into()] })
}

pub(crate) async fn lab<C: Into<Children>>(start: impl Fn() -> C + Send + Sync + 'static) -> Lab {
    Lab::with(Setup { channels, ..Setup::default() }, start).await
}

/// The state after batches with these contributions to one field: batches, children, values.
async fn field_after(field: &'static str, batches: Value) -> Result<Value, BatchError> {
    let batches = batches.as_array().cloned().unwrap();
    let rounds = batches.len();
    let next = AtomicUsize::new(0);
    let mut lab = lab(move || {
        let batch = &batches[next.fetch_add(1, Ordering::Relaxed)];
        let children = batch.as_array().cloned().unwrap();
        let children = children.into_iter().zip(["a", "b", "c"]).map(|(values, key)| {
            let values = values.as_array().cloned().unwrap();
            worker(key, values.into_iter().map(|value| give(field, value)).collect())
        });
        Children::new(children)
    })
    .await;
    for _ in 0..rounds {
        lab.start().await.1?;
    }
    Ok(lab.state().await[field].clone())
}

#[tokio::test]
async fn each_channel_puts_the_values_together_in_the_order_of_the_request() {
    let id = |id: u32, by: &str| json!({ "id": id, "by": by });
    let points = |name: &str, points: u32| json!({ "name": name, "points": points });
    for (field, batches, expected) in [
        ("only", json!([[[1, 2], []], [[], ["x"]]]), json!("x")),
        ("total", json!([[[1, 2], [3]], [[-10]]]), json!(-4)),
        ("total", json!([[[1], [0.5], [2]]]), json!(3.5)),
        ("total", json!([[[0.1], [0.2], [0.3]]]), json!(0.1 + 0.2 + 0.3)),
        ("total", json!([[[u64::MAX - 1], [1]]]), json!(u64::MAX)),
        ("total", json!([[[u64::MAX], [u64::MAX], [i64::MIN, i64::MIN]]]), json!(u64::MAX - 1)),
        ("items", json!([[["a", "b"], [["c"]]], [[null]]]), json!(["a", "b", ["c"], null])),
        (
            "unique",
            json!([[[id(1, "a"), id(2, "a")], [id(2, "b"), id(3, "b")]], [[id(1, "c")]]]),
            json!([id(1, "a"), id(2, "a"), id(3, "b")]),
        ),
        ("keyed", json!([[[1, 2], [3]], [[], [4], [null]]]), json!({ "a": 2, "b": 4, "c": null })),
        (
            "record",
            json!([[[{ "x": 1 }, { "x": 2 }], [{ "y": 3, "x": 2 }]], [[{ "y": 4 }]]]),
            json!({ "x": 2, "y": 4 }),
        ),
        (
            "best",
            json!([[[points("a", 3)], [points("b", 7)], [points("c", 7)]], [[points("d", 1)]]]),
            points("b", 7),
        ),
    ] {
        let state = field_after(field, batches.clone()).await;
        assert_eq!(state.unwrap(), expected, "{field} {batches}");
    }
}

#[tokio::test]
async fn what_a_channel_does_not_take_fails_the_batch_and_is_named() {
    for (field, value, channel, reason) in [
        ("total", json!("1"), "sum", "takes a number, not a string"),
        ("total", json!(null), "sum", "takes a number, not null"),
        (
            "unique",
            json!(1),
            "append_unique_by",
            "takes an object with the field `id`, not a number",
        ),
        (
            "unique",
            json!({ "x": 1 }),
            "append_unique_by",
            "takes an object with the field `id`, not one without",
        ),
        ("record", json!([1]), "merge_record", "takes an object, not an array"),
        (
            "best",
            json!({ "name": "a" }),
            "reduced",
            "cannot read the value: missing field `points`",
        ),
    ] {
        let good = json!([give("items", 1)]);
        let ops = json!([give(field, value)]);
        let mut lab = lab(move || [worker("a", good.clone()), worker("b", ops.clone())]).await;
        let (reply, came) = lab.start().await;
        let error = came.unwrap_err();
        assert_eq!(error.code(), "PARALLEL_CONTRIBUTION");
        assert_eq!(
            error.to_string(),
            format!(
                "child `Worker[b]` contributed to field `{field}` of step `Worker`'s state: channel `{channel}` {reason}"
            )
        );
        // Nothing of the batch is kept but its tokens.
        assert_eq!(lab.state().await, Value::Null);
        let session = lab.talk.session().await;
        assert_eq!((session.flow.sequence.len(), session.log.len()), (1, 0));
        assert_eq!(reply.usage.input_tokens, 40);
    }
}

#[tokio::test]
async fn a_sum_that_no_number_holds_is_refused() {
    for values in
        [json!([[[u64::MAX], [1]]]), json!([[[i64::MIN], [-1]]]), json!([[[1e308], [1e308]]])]
    {
        let error = field_after("total", values).await.unwrap_err();
        assert!(
            matches!(&error, BatchError::Contribution { branch, .. } if branch.to_string() == "Worker[b]"),
            "{error}"
        );
        assert!(error.to_string().ends_with("has a sum that no JSON number holds"), "{error}");
    }
}

#[tokio::test]
async fn a_state_that_the_channel_cannot_go_on_from_fails_the_batch() {
    for (field, held, value, reason) in [
        ("total", json!("x"), json!(1), "channel `sum` adds to a number, and finds a string"),
        ("items", json!({}), json!(1), "channel `append` adds to an array, and finds an object"),
        (
            "unique",
            json!(1),
            json!({ "id": 1 }),
            "channel `append_unique_by` adds to an array, and finds a number",
        ),
        (
            "keyed",
            json!([]),
            json!(1),
            "channel `keyed_by_branch` writes into an object, and finds an array",
        ),
        (
            "record",
            json!(true),
            json!({}),
            "channel `merge_record` writes into an object, and finds a boolean",
        ),
        (
            "best",
            json!([1]),
            json!({ "name": "a", "points": 1 }),
            "channel `reduced` cannot read what is there: ",
        ),
    ] {
        let before = json!([{ "save": { field: held } }]);
        let nested = json!([["x", [give(field, value)]]]);
        let mut lab = lab(move || {
            let mut ops = before.as_array().cloned().unwrap();
            ops.push(json!({ "try": nested }));
            [worker("a", Value::Array(ops))]
        })
        .await;
        let (_, came) = lab.start().await;
        assert_eq!(outcomes(&came.unwrap()), ["ok"]);
        let journal = lab.journal.take();
        let code = "PARALLEL_STATE";
        let text = format!(
            "{code} field `{field}` of step `Worker`'s state cannot be contributed to: {reason}"
        );
        assert!(journal.iter().any(|line| line.starts_with(&text)), "{text}: {journal:?}");
        assert_eq!(lab.state().await, json!({ field: held }));
    }
}

#[tokio::test]
async fn null_is_as_good_as_nothing() {
    for (field, value, expected) in [
        ("total", json!(1), json!(1)),
        ("items", json!(1), json!([1])),
        ("keyed", json!(1), json!({ "x": 1 })),
    ] {
        let ops = json!([{ "save": { field: null } }, { "nest": [["x", [give(field, value)]]] }, { "see": 1 }]);
        let mut lab = lab(move || [worker("a", ops.clone())]).await;
        let (_, came) = lab.start().await;
        // Written and contributed to in one batch: only the outer join refuses it.
        assert_eq!(came.unwrap_err().code(), "PARALLEL_STATE_CONFLICT");
        let saw = format!("Worker[a] sees {}", json!({ field: expected }));
        assert!(lab.journal.take().contains(&saw), "{saw}");
    }
}

#[tokio::test]
async fn channels_for_one_writer_refuse_two() {
    let nested = |value: u32| json!([{ "nest": [["x", [give("keyed", value)]]] }]);
    for (a, b, text) in [
        (
            json!([give("only", 1)]),
            json!([give("only", 1)]),
            "children `Worker[a]` and `Worker[b]` both wrote field `only` of step `Worker`'s state: channel `single_writer`",
        ),
        (
            json!([give("record", json!({ "x": 1 }))]),
            json!([give("record", json!({ "y": 1, "x": 2 }))]),
            "children `Worker[a]` and `Worker[b]` both wrote key `x` in field `record` of step `Worker`'s state: channel `merge_record`",
        ),
        (
            nested(1),
            nested(2),
            "children `Worker[a]/Worker[x]` and `Worker[b]/Worker[x]` both wrote key `x` in field `keyed` of step `Worker`'s state: channel `keyed_by_branch`",
        ),
    ] {
        let mut lab = lab(move || [worker("a", a.clone()), worker("b", b.clone())]).await;
        let (_, came) = lab.start().await;
        let error = came.unwrap_err();
        assert_eq!(error.code(), "PARALLEL_STATE_CONFLICT");
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!(lab.state().await, Value::Null);
    }
}

#[tokio::test]
async fn a_reducer_that_fails_or_panics_leaves_the_state_as_it_was() {
    let good = give("best", json!({ "name": "a", "points": 1 }));
    for (name, code, text) in [
        (
            "",
            "PARALLEL_REDUCER",
            "the reducer of field `best` of step `Worker`'s state failed at child `Worker[b]`: nobody",
        ),
        (
            "trap",
            "PARALLEL_REDUCER_PANICKED",
            "the reducer of field `best` of step `Worker`'s state panicked at child `Worker[b]`: the reducer bursts",
        ),
    ] {
        let good = good.clone();
        let bad = give("best", json!({ "name": name, "points": 1 }));
        let mut lab = lab(move || {
            [worker("a", json!([{ "save": { "x": 1 } }, good])), worker("b", json!([bad]))]
        })
        .await;
        let (_, came) = lab.start().await;
        let error = came.unwrap_err();
        assert_eq!((error.code(), error.to_string()), (code, text.to_owned()));
        assert_eq!(lab.state().await, Value::Null);
    }
}

#[tokio::test]
async fn a_value_that_would_be_too_deep_to_store_is_refused() {
    let deep = (0..99).fold(Value::Null, |inner, _| json!([inner]));
    let error = field_after("items", json!([[[], [deep]]])).await.unwrap_err();
    assert!(error.to_string().contains("more than 100 levels"), "{error}");
    assert_eq!(error.code(), "PARALLEL_CONTRIBUTION");
    let fits = (0..98).fold(Value::Null, |inner, _| json!([inner]));
    let state = field_after("items", json!([[[fits.clone()]]])).await.unwrap();
    assert_eq!(state, json!([fits]));
}

#[tokio::test]
async fn a_field_that_cannot_have_a_channel_fails_the_build() {
    struct Wrong;

    #[tools]
    impl Step for Wrong {
        fn state_channels(&self) -> Channels {
            Channels::new()
                .add("twice", Channel::sum())
                .add("twice", Channel::append())
                .add(" ", Channel::sum())
                .add("_prompt", Channel::sum())
        }
    }

    let flow = TestFlow::new(Steps::new().add(Wrong));
    let error = Engine::builder().flow(flow).model(ScriptedModel::new()).build().await.unwrap_err();
    let BuildError::Flows { faults, .. } = error else {
        panic!("{error}");
    };
    let fields: Vec<_> = faults
        .iter()
        .map(|fault| match fault {
            BuildFault::Channel { step, field, .. } if *step == Wrong::ID => &**field,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(fields, ["twice", " ", "_prompt"]);
    assert_eq!(
        faults[0].to_string(),
        "step `Wrong`: `state_channels` gives a channel to field `twice`, which has one already"
    );
}
