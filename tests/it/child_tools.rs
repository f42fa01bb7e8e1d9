//! What the model of a child may call, and what a child must not decide.

use crate::support::{Talk, TestFlow, answers, definition, lines, warnings};
use picoflow::{
    BatchError, Branch, ChildError, TurnError,
    model::{ModelError, ModelFailure, Recovery},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::borrow::Cow;

/// Runs `Worker` in the way that its tool says.
struct Parent;

fn told(error: &ChildError) -> String {
    format!("{} {error}", error.code())
}

#[tools]
impl Step for Parent {
    /// Run the child and tell what it came to
    #[tool(define)]
    async fn run(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "ran": true }));
        match cx.run_step(Worker::ID, None).await {
            Ok(value) => stay_with(value.to_string()),
            Err(error) => stay_with(told(&error)),
        }
    }

    /// Run the child and pass its error on
    #[tool(define)]
    async fn insist(&self, cx: &mut Cx<'_>) -> Result<Json<Value>, ToolError> {
        Ok(Json(cx.run_step(Worker::ID, None).await?))
    }

    /// Run the child and drop what it came to
    #[tool(define)]
    async fn ignore(&self, cx: &mut Cx<'_>) -> ToolResponse {
        drop(cx.run_step(Worker::ID, None).await);
        stay()
    }

    /// Run two children
    #[tool(define)]
    async fn batch(&self, cx: &mut Cx<'_>) -> ToolResponse {
        stay_with(both(cx, false).await.unwrap_or_else(|error| error.to_string()))
    }

    /// Run two children, or none
    #[tool(define)]
    async fn atomic(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        match both(cx, true).await {
            Err(BatchError::Rejected { batch }) => {
                let errors: Vec<_> = batch.rejected().map(|(_, error)| told(error)).collect();
                Ok(stay_with(errors.join("; ")))
            }
            other => Ok(stay_with(other?)),
        }
    }

    /// Run two children, or none, and pass the error on
    #[tool(define)]
    async fn insist_on_both(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        Ok(stay_with(both(cx, true).await?))
    }

    /// Run a child that runs the child
    #[tool(define)]
    async fn nest(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let came = cx.run_step(Middle::ID, None).await;
        stay_with(came.map_or_else(|error| told(&error), |value| value.to_string()))
    }

    /// Name a child that is not there
    #[tool(define)]
    async fn nobody(&self, cx: &mut Cx<'_>, insist: bool) -> Result<ToolResponse, ToolError> {
        match cx.run_step("Nobody", None).await {
            Err(error) if !insist => Ok(stay_with(told(&error))),
            other => Ok(stay_with(other?.to_string())),
        }
    }
}

async fn both(cx: &mut Cx<'_>, is_atomic: bool) -> Result<String, BatchError> {
    let children = Children::new([Child::new(Worker::ID), Child::new(Steady::ID)]);
    let children = if is_atomic { children.atomic() } else { children };
    let batch = cx.run_steps(children).await?;
    let outcome = |branch: &Branch| match &branch.outcome {
        Ok(value) => value.to_string(),
        Err(error) => told(error),
    };
    let outcomes: Vec<_> = batch.branches.iter().map(outcome).collect();
    Ok(outcomes.join("; "))
}

/// Runs `Worker` on entry, and passes its error on or not, as its parent's state says.
struct Middle;

#[tools]
impl Step for Middle {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.run_step(Worker::ID, None).await?;
        Ok(())
    }
}

struct Steady;

#[tools]
impl Step for Steady {
    async fn on_exit(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.save_state(json!({ "worked": true }));
        Ok(())
    }
}

struct Base;

#[tools]
impl Step for Base {
    /// Go home
    #[tool(define)]
    fn go_home(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "left": true }));
        go(Parent::ID)
    }
}

/// Has every kind of tool.
struct Worker(Base);

#[tools]
impl Step for Worker {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Own prompt.".into()
    }

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        vec!["idle".into()]
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let native = definition("native");
        vec![NativeTool::new(native, |_arguments, _cx| async { "native answers" })]
    }

    /// Data
    #[tool(define)]
    fn look(&self) -> Json<Value> {
        Json(json!({ "rooms": 2 }))
    }

    /// Ask again
    #[tool(define)]
    fn again(&self) -> ToolResponse {
        stay_with("Which one?")
            .with_state(json!({ "asked": 1 }))
            .with_prompt("New prompt.")
            .with_message("Take the first.")
    }

    /// Answer
    #[tool(define)]
    fn answer(&self, with: Value) -> ToolResponse {
        direct_result(with)
    }

    /// Do something
    #[tool(define)]
    fn act(&self, cx: &mut Cx<'_>, how: String) -> ToolResponse {
        cx.save_state(json!({ "acted": how }));
        match how.as_str() {
            "stay" => stay(),
            "direct" => direct("text"),
            "direct_to" => direct_to(Parent::ID, "text"),
            "finish" => finish("text"),
            "with_content_type" => stay().with_content_type(ContentType::HTML),
            "misuse" => {
                cx.save_state(json!([1]));
                stay()
            }
            _ => go(Parent::ID),
        }
    }

    #[tools(["act", "look"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        finish("both")
    }

    async fn on_response(&self, _cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        let text = output.into_text();
        Ok(if text == "Leave." { go(Parent::ID) } else { text.into() })
    }

    async fn on_model_error(
        &self,
        _cx: &mut Cx<'_>,
        failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        let is_own = format!("{failure:?}").contains("own");
        Ok(if is_own { Recovery::Answer(finish("text")) } else { Recovery::Pass })
    }
}

/// Has a tool that moves, and one that does not.
struct Home;

#[tools]
impl Flow for Home {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Parent).add(Worker(Base)).add(Middle).add(Steady)
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![definition("idle")]
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let native = definition("shared");
        vec![NativeTool::new(native, |_arguments, _cx| async { "the flow's answers" })]
    }

    /// End the conversation
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        finish("Good bye.")
    }

    /// The time
    #[tool(define)]
    fn time(&self) -> Json<&'static str> {
        Json("noon")
    }
}

type Reply = Vec<(&'static str, Value)>;

/// A parent that makes the call that the user names, and a child that makes these calls, one reply after the other.
async fn talk(child: impl IntoIterator<Item = Reply>) -> Talk {
    let mut model = ScriptedModel::new();
    for calls in child {
        model = model.on_call(Rule::new().step("Worker").times(1), calls);
    }
    for tool in ["run", "insist", "ignore", "batch", "atomic", "insist_on_both", "nest"] {
        model =
            model.on_call(Rule::new().step("Parent").latest(tool).times(1), [(tool, json!({}))]);
    }
    for (text, insist) in [("name nobody", false), ("press for nobody", true)] {
        let call = [("nobody", json!({ "insist": insist }))];
        model = model.on_call(Rule::new().step("Parent").latest(text), call);
    }
    let model = model
        .on(Rule::new().step("Steady"), "Steady speaks.")
        .on(Rule::new().step("Middle"), "Middle speaks.")
        .on(Rule::new().step("Worker"), "Worker speaks.")
        .on(Rule::new(), "Parent speaks.");
    Talk::of(Home, model).await
}

fn call(tool: &'static str) -> Reply {
    vec![(tool, json!({}))]
}

fn act(how: &str) -> Reply {
    vec![("act", json!({ "how": how }))]
}

/// What the child's model was told of its calls.
fn child_heard(talk: &Talk) -> Vec<String> {
    let requests = talk.requests();
    let last = requests.iter().rev().find(|request| request.step == Worker::ID);
    answers(last.unwrap())
}

#[tokio::test]
async fn data_goes_back_to_the_childs_model() {
    for (reply, heard) in [
        (call("look"), r#"{"rooms":2}"#),
        (call("native"), "native answers"),
        (call("shared"), "the flow's answers"),
        (call("time"), r#""noon""#),
        (act("stay"), "input validated"),
        (call("idle"), "input validated"),
    ] {
        for way in ["run", "batch", "nest"] {
            let mut talk = talk([reply.clone()]).await;
            let turn = talk.say(way).await;
            assert_eq!(turn.text, "Parent speaks.", "{heard} {way}");
            assert_eq!(child_heard(&talk), [heard], "{way}");
            let expected = if heard == "input validated" && reply[0].0 == "idle" {
                vec!["missing tool handler: idle"]
            } else {
                vec![]
            };
            assert_eq!(warnings(&turn), expected, "{heard} {way}");
        }
    }
}

#[tokio::test]
async fn what_a_stay_takes_along_is_the_childs() {
    let mut talk = talk([call("again")]).await;
    talk.say("run").await;
    let requests = talk.requests();
    let asked: Vec<_> = requests.iter().filter(|it| it.step == Worker::ID).collect();
    assert_eq!(asked[0].prompt(), "Own prompt.");
    assert_eq!(asked[1].prompt(), "New prompt.");
    assert_eq!(
        lines(&asked[1].messages)[1..],
        ["human: Start", "ai: [again]", "tool: Which one?", "human: Take the first."]
    );
    assert_eq!(talk.state("Worker").await, json!({ "asked": 1 }));
    // The prompt ends with the child.
    talk.say("run").await;
    assert_eq!(talk.state("Worker").await, json!({ "asked": 1 }));
}

#[tokio::test]
async fn parallel_results_of_one_reply_warn_and_the_last_counts() {
    for way in ["run", "batch", "atomic"] {
        let answers = [("answer", json!({ "with": 1 })), ("answer", json!({ "with": 2 }))];
        let mut talk = talk([answers.into()]).await;
        let turn = talk.say(way).await;
        let heard = crate::support::answers(&talk.last_request());
        assert!(heard[0].starts_with('2'), "{way}: {heard:?}");
        assert_eq!(
            warnings(&turn),
            ["competing results: answer, answer; applied that of answer"],
            "{way}"
        );
    }
}

#[tokio::test]
async fn a_result_beside_data_ends_the_child() {
    let reply = vec![("look", json!({})), ("answer", json!({ "with": 1 })), ("idle", json!({}))];
    let mut talk = talk([reply]).await;
    talk.say("run").await;
    assert_eq!(answers(&talk.last_request()), ["1"]);
    assert_eq!(
        talk.memory("Worker").await,
        [
            "human: Start",
            "ai: [look, answer, idle]",
            r#"tool: {"rooms":2}"#,
            "tool: input validated",
            "tool: input validated"
        ]
    );
}

/// What moves or speaks, with who is named.
fn refused() -> Vec<(Reply, &'static str, &'static str, &'static str)> {
    vec![
        (act("go"), "go", "act", "step `Worker`"),
        (act("direct"), "direct", "act", "step `Worker`"),
        (act("direct_to"), "direct_to", "act", "step `Worker`"),
        (act("finish"), "finish", "act", "step `Worker`"),
        (call("go_home"), "go", "go_home", "its base `Base`"),
        (call("leave"), "finish", "leave", "flow `Home`"),
        (
            vec![("look", json!({})), ("act", json!({ "how": "go" }))],
            "finish",
            "look, act",
            "step `Worker`",
        ),
    ]
}

#[tokio::test]
async fn a_move_fails_the_child_and_names_tool_and_owner() {
    for (reply, builder, by, owner) in refused() {
        for way in ["run", "batch", "atomic", "nest"] {
            let mut talk = talk([reply.clone()]).await;
            let turn = talk.say(way).await;
            assert_eq!(turn.text, "Parent speaks.", "{by} {way}");
            let told = answers(&talk.last_request());
            let part = format!("`{builder}` by `{by}` of {owner} ");
            assert!(told[0].contains("CHILD_TRANSITION child `"), "{way}: {told:?}");
            assert!(told[0].contains(&part), "{way}: {told:?}");
            assert!(told[0].contains("`direct_result`"), "{told:?}");
            assert!(warnings(&turn).iter().any(|text| text.contains(&part)), "{way}");
            // Nothing of the handler that decided it is left.
            assert_eq!(talk.state("Worker").await, Value::Null, "{by} {way}");
            // Siblings are kept where a batch keeps what succeeded.
            let sibling = if way == "batch" { json!({ "worked": true }) } else { Value::Null };
            assert_eq!(talk.state("Steady").await, sibling, "{by} {way}");
            talk.say("run").await;
        }
    }
}

#[tokio::test]
async fn a_childs_error_that_is_passed_on_fails_the_turn() {
    for way in ["insist", "insist_on_both"] {
        let mut talk = talk([call("leave")]).await;
        talk.say("Hi").await;
        let error = talk.fail(way).await;
        assert!(
            matches!(&error, TurnError::ChildTransition { step, builder: "finish", by, owner, .. }
                if *step == Worker::ID && by == "leave" && owner == "flow `Home`"),
            "{way}: {error}"
        );
        assert_eq!(error.step(), Some(&Worker::ID));
        assert_eq!(talk.session().await.error[0].extra["code"], "CHILD_TRANSITION");
        assert_eq!(talk.say("Hi").await.text, "Parent speaks.");
    }
}

#[tokio::test]
async fn a_childs_error_that_is_dropped_leaves_a_warning() {
    let mut talk = talk([call("leave")]).await;
    let turn = talk.say("ignore").await;
    assert_eq!(turn.text, "Parent speaks.");
    let warnings = warnings(&turn);
    assert!(
        warnings[0].starts_with("child `Worker`: step `Worker` runs as a child"),
        "{warnings:?}"
    );
    assert!(!turn.completed);
}

#[tokio::test]
async fn a_misuse_in_a_child_is_its_callers_to_handle() {
    for (reply, part) in [
        (act("misuse"), "`save_state` takes an object"),
        (act("with_content_type"), "`with_content_type`"),
    ] {
        let mut there = talk([reply.clone()]).await;
        assert_eq!(there.say("run").await.text, "Parent speaks.");
        let told = answers(&there.last_request());
        assert!(told[0].starts_with("STEP_MISUSE child `Worker`: "), "{told:?}");
        assert!(told[0].contains(part), "{told:?}");
        assert_eq!(there.state("Parent").await, json!({ "ran": true }));
        let mut there = talk([reply.clone()]).await;
        assert_eq!(there.say("batch").await.text, "Parent speaks.");
        let mut there = talk([reply]).await;
        let error = there.fail("insist").await;
        assert!(
            matches!(&error, TurnError::Misuse { reason, .. } if reason.contains(part)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_child_that_is_not_there_is_its_callers_to_handle() {
    let mut talk = talk([]).await;
    let turn = talk.say("name nobody").await;
    assert!(answers(&talk.last_request())[0].starts_with("STEP_UNKNOWN child `Nobody`"));
    assert_eq!(warnings(&turn).len(), 1);
    let error = talk.fail("press for nobody").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
}

#[tokio::test]
async fn a_hook_that_moves_fails_the_child_and_is_named() {
    let model = |answer: fn() -> Result<ModelReply, ModelError>| {
        ScriptedModel::new()
            .on_call(Rule::new().step("Parent").latest("run").times(1), call("run"))
            .answer(Rule::new().step("Worker"), move |_| answer())
            .on(Rule::new(), "Parent speaks.")
    };
    for (answer, part) in [
        (
            (|| Ok(ModelReply::text("Leave."))) as fn() -> Result<ModelReply, ModelError>,
            "`go` by `on_response` of step `Worker`",
        ),
        (|| Err(ModelError::permanent("own")), "`finish` by `on_model_error` of step `Worker`"),
    ] {
        let mut talk = Talk::of(Home, model(answer)).await;
        assert_eq!(talk.say("run").await.text, "Parent speaks.");
        let told = answers(&talk.last_request());
        assert!(told[0].contains(part), "{told:?}");
    }
}

/// A mistake of the parent that comes before its child.
struct Careless;

#[tools]
impl Step for Careless {
    /// Run the child
    #[tool(define)]
    async fn run(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!(1));
        drop(cx.run_step(Steady::ID, None).await);
        stay()
    }
}

#[tokio::test]
async fn a_parents_own_mistake_is_not_the_childs() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Careless"), call("run"))
        .on(Rule::new(), "Steady speaks.");
    let mut talk = Talk::of(TestFlow::new(Steps::new().add(Careless).add(Steady)), model).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(&error, TurnError::Misuse { step, .. } if *step == Careless::ID), "{error}");
    assert_eq!(talk.requests().len(), 1);
}
