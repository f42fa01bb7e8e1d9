//! `run_steps`: steps that run side by side.

use crate::support::{Journal, Talk, TestFlow, answers, lines, warnings};
use picoflow::{
    BatchError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

type Children = fn() -> Vec<Child>;

/// Starts the test's children and tells the model what became of them.
struct Fork {
    children: Children,
    journal: Journal,
}

#[tools]
impl Step for Fork {
    /// Run the children
    #[tool(define)]
    async fn fork(&self, cx: &mut Cx<'_>) -> Result<Json<Value>, ToolError> {
        cx.save_state(json!({ "before": 1 }));
        let batch = cx.run_steps((self.children)()).await;
        let batch = batch.map_err(|error: BatchError| {
            self.journal.add(error.code());
            ToolError::feedback(error.to_string())
        })?;
        // What succeeded is there at once.
        let seen = cx.step_state(Branch::ID).to_string();
        self.journal.add(seen);
        let fulfilled: Vec<_> =
            batch.fulfilled().map(|(branch, output)| json!([branch.key, output])).collect();
        let rejected: Vec<_> =
            batch.rejected().map(|(branch, error)| json!([branch.key, error.code()])).collect();
        let order: Vec<_> = batch.branches.iter().map(|branch| &branch.key).collect();
        Ok(Json(json!({ "fulfilled": fulfilled, "rejected": rejected, "order": order })))
    }
}

/// Does what its parameters say.
struct Branch(Journal);

#[tools]
impl Step for Branch {
    fn check_params(&self, params: &Value) -> HookResult {
        if params["refused"] == true {
            return Err("not these".into());
        }
        Ok(())
    }

    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let own = cx.parallel().map(|own| own.params.clone());
        format!("Branch {}", own.unwrap_or_default()).into()
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        let own = cx.parallel().cloned();
        let own = own.ok_or("not a branch")?;
        let memory = lines(cx.memory().conversation());
        self.0.add(format!("{} {:?} sees {} {memory:?}", own.index, own.key, cx.state()));
        match own.params["do"].as_str() {
            Some("fail") => return Err("branch failed".into()),
            Some("save") => {
                let field = own.params["field"].as_str().unwrap_or_default();
                cx.save_state(json!({ field: own.index }));
            }
            Some("other") => cx.save_step_state(Fork::ID, json!({ "x": 1 })),
            Some("complete") => cx.mark_completed(),
            Some("nest") => {
                let inner = cx.run_steps([Child::new(Inner::ID).message("Work.")]).await?;
                let inner: Vec<_> = inner.fulfilled().map(|(_, output)| output.clone()).collect();
                let state = cx.step_state(Inner::ID).clone();
                cx.save_state(json!({ "inner": inner, "inner_state": state }));
            }
            _ => {}
        }
        Ok(())
    }

    /// Move on
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(Fork::ID)
    }

    /// Answer
    #[tool(define)]
    fn done(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let own = cx.parallel().map(|own| own.params.clone());
        direct_result(json!({ "params": own }))
    }
}

struct Inner;

#[tools]
impl Step for Inner {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.save_state(json!({ "worked": true }));
        Ok(())
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().step("Fork").latest("fork"), [("fork", json!({}))])
        .on(Rule::new().step("Fork"), "Joined.")
        .on_call(Rule::new().prompt(r#""do":"leave""#), [("leave", json!({}))])
        .on_call(Rule::new().prompt(r#""do":"done""#), [("done", json!({}))])
        .on(Rule::new().step("Branch"), "Branch speaks.")
        .on(Rule::new().step("Inner"), "Inner speaks.")
}

async fn talk(children: Children) -> (Talk, Journal) {
    let journal = Journal::default();
    let fork = Fork { children, journal: journal.clone() };
    let steps = Steps::new().add(fork).add(Branch(journal.clone())).add(Inner);
    (Talk::of(TestFlow::new(steps), model()).await, journal)
}

/// What the model was told of the batch.
fn told(talk: &Talk) -> Value {
    let told = answers(&talk.last_request());
    serde_json::from_str(&told[0]).unwrap()
}

fn child(key: &str, what: &str) -> Child {
    Child::new(Branch::ID).key(key).params(json!({ "do": what }))
}

fn saves(key: &str, field: &str) -> Child {
    let params = json!({ "do": "save", "field": field });
    Child::new(Branch::ID).key(key).params(params)
}

#[tokio::test]
async fn results_are_in_the_order_of_the_request() {
    let (mut talk, _) = talk(|| {
        vec![child("c", "talk"), child("a", "fail"), child("b", "done"), child("d", "fail")]
    })
    .await;
    talk.say("fork").await;
    assert_eq!(
        told(&talk),
        json!({
            "fulfilled": [["c", "Branch speaks."], ["b", { "params": { "do": "done" } }]],
            "rejected": [["a", "HOOK_FAILED"], ["d", "HOOK_FAILED"]],
            "order": ["c", "a", "b", "d"],
        })
    );
}

#[tokio::test]
async fn a_branch_knows_its_key_index_and_parameters() {
    let (mut talk, journal) = talk(|| vec![child("x", "talk"), child("y", "talk")]).await;
    talk.say("fork").await;
    let seen = journal.take();
    assert_eq!(seen[..2], [r#"0 Some("x") sees {} []"#, r#"1 Some("y") sees {} []"#]);
}

#[tokio::test]
async fn the_state_of_those_that_succeed_is_published_before_the_call_returns() {
    let (mut talk, journal) =
        talk(|| vec![saves("a", "one"), saves("b", "two"), child("c", "fail")]).await;
    talk.say("fork").await;
    let published = journal.take().pop().unwrap();
    let published: Value = serde_json::from_str(&published).unwrap();
    assert_eq!(published, json!({ "one": 0, "two": 1 }));
    assert_eq!(talk.state("Branch").await, json!({ "one": 0, "two": 1 }));
}

#[tokio::test]
async fn siblings_do_not_see_each_other_and_their_histories_are_private() {
    let (mut talk, journal) =
        talk(|| vec![saves("a", "one").message("For a."), saves("b", "two").message("For b.")])
            .await;
    talk.say("fork").await;
    let seen = journal.take();
    assert!(seen[1].contains("sees {} []"), "{seen:?}");
    let requests = talk.requests();
    assert_eq!(lines(&requests[1].messages)[1..], ["human: For a."]);
    assert_eq!(lines(&requests[2].messages)[1..], ["human: For b."]);
    assert_eq!(talk.memory("Branch").await, [""; 0]);
    // The next fork begins with what was published, and with no history.
    talk.say("fork").await;
    let seen = journal.take();
    assert!(seen[0].contains(r#"{"one":0,"two":1} []"#), "{seen:?}");
}

#[tokio::test]
async fn a_step_started_twice_needs_keys_of_its_own() {
    for children in [
        (|| vec![Child::new(Branch::ID), Child::new(Branch::ID)]) as Children,
        || vec![child("a", "talk"), Child::new(Branch::ID)],
        || vec![child("a", "talk"), child("a", "talk")],
    ] {
        let (mut talk, journal) = talk(children).await;
        talk.say("fork").await;
        assert_eq!(journal.take(), ["PARALLEL_DUPLICATE_KEY"]);
        assert_eq!(talk.requests().len(), 2);
    }
    let (mut talk, _) = talk(|| vec![Child::new(Branch::ID), Child::new(Inner::ID)]).await;
    talk.say("fork").await;
    assert_eq!(told(&talk)["order"], json!([null, null]));
}

#[tokio::test]
async fn parameters_that_the_step_refuses_start_nothing() {
    let (mut talk, journal) = talk(|| {
        vec![child("a", "talk"), Child::new(Branch::ID).key("b").params(json!({ "refused": true }))]
    })
    .await;
    talk.say("fork").await;
    assert_eq!(journal.take(), ["PARALLEL_PARAMS"]);
    let told = answers(&talk.last_request());
    assert!(told[0].contains("not these"), "{told:?}");
}

#[tokio::test]
async fn two_branches_that_write_one_field_publish_nothing() {
    let (mut talk, journal) =
        talk(|| vec![saves("a", "same"), saves("b", "same"), saves("c", "apart")]).await;
    talk.say("fork").await;
    assert_eq!(journal.take().pop().unwrap(), "PARALLEL_STATE_CONFLICT");
    let told = answers(&talk.last_request());
    assert!(told[0].contains("`same`"), "{told:?}");
    assert_eq!(talk.state("Branch").await, Value::Null);
}

#[tokio::test]
async fn tokens_of_every_branch_count_also_when_nothing_is_published() {
    for children in
        [(|| vec![saves("a", "one"), saves("b", "two"), saves("c", "three")]) as Children, || {
            vec![saves("a", "same"), saves("b", "same"), saves("c", "apart")]
        }]
    {
        let (mut talk, _) = talk(children).await;
        let reply = talk.say("fork").await;
        assert_eq!(talk.requests().len(), 5);
        assert_eq!(reply.usage.input_tokens, 50);
    }
}

#[tokio::test]
async fn a_nested_batch_publishes_into_its_parent_branch() {
    let (mut talk, _) = talk(|| vec![child("a", "nest"), child("b", "talk")]).await;
    talk.say("fork").await;
    assert_eq!(
        talk.state("Branch").await,
        json!({ "inner": ["Inner speaks."], "inner_state": { "worked": true } })
    );
    assert_eq!(talk.state("Inner").await, json!({ "worked": true }));
    let sequence = talk.session().await.flow.sequence;
    let levels: Vec<_> =
        sequence.iter().map(|entry| (entry.step_name.as_str(), entry.level)).collect();
    assert_eq!(levels, [("Fork", 1), ("Branch", 2), ("Inner", 3), ("Branch", 2)]);
}

#[tokio::test]
async fn a_nested_batch_of_a_branch_that_fails_is_not_published() {
    struct Breaks;

    #[tools]
    impl Step for Breaks {
        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            cx.run_steps([Child::new(Inner::ID)]).await?;
            Err("after its children".into())
        }
    }

    let journal = Journal::default();
    let fork = Fork { children: || vec![Child::new("Breaks")], journal: journal.clone() };
    let steps = Steps::new().add(fork).add(Branch(journal)).add(Inner).add(Breaks);
    let mut talk = Talk::new(steps, model()).await;
    talk.say("fork").await;
    assert_eq!(told(&talk)["rejected"], json!([[null, "HOOK_FAILED"]]));
    assert_eq!(talk.state("Inner").await, Value::Null);
}

#[tokio::test]
async fn a_branch_that_oversteps_fails_and_is_named() {
    for (children, part) in [
        ((|| vec![child("a", "talk"), child("b", "leave")]) as Children, "`go`"),
        (|| vec![child("a", "other")], "another step's state"),
        (|| vec![child("a", "complete")], "complete the session"),
    ] {
        let (mut talk, _) = talk(children).await;
        let reply = talk.say("fork").await;
        let warnings = warnings(&reply);
        assert!(warnings[0].starts_with("child `Branch["), "{warnings:?}");
        assert!(warnings[0].contains(part), "{warnings:?}");
        assert_eq!(reply.text, "Joined.");
    }
}

#[tokio::test]
async fn a_batch_meets_the_limit_of_invocations() {
    let journal = Journal::default();
    let fork = Fork {
        children: || vec![child("a", "talk"), child("b", "talk"), child("c", "talk")],
        journal: journal.clone(),
    };
    let steps = Steps::new().add(fork).add(Branch(journal.clone()));
    let flow = TestFlow::new(steps).limits(Limits::default().invocations(2));
    let mut talk = Talk::of(flow, model()).await;
    talk.say("fork").await;
    assert_eq!(journal.take(), ["PARALLEL_LIMIT"]);
    let told = answers(&talk.last_request());
    assert!(told[0].contains("limit of 2 children"), "{told:?}");
    assert_eq!(talk.requests().len(), 2);
}

#[tokio::test]
async fn an_empty_batch_is_an_empty_result() {
    let (mut talk, _) = talk(Vec::new).await;
    talk.say("fork").await;
    assert_eq!(told(&talk), json!({ "fulfilled": [], "rejected": [], "order": [] }));
}
