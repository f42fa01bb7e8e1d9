//! `run_step`: a step that runs inside another one.

use crate::support::{Journal, Talk, TestFlow, answers, events};
use picoflow::{
    TurnError, no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Runs the child that the model names and tells the model what it answered.
struct Parent;

#[tools]
impl Step for Parent {
    /// Run a child
    #[tool(define)]
    async fn run(
        &self,
        cx: &mut Cx<'_>,
        child: String,
        message: Option<String>,
    ) -> Result<Json<Value>, ToolError> {
        cx.save_step_transient(child.clone(), json!({ "hint": "from the parent" }));
        let answer = cx.run_step(child, message.as_deref()).await;
        let answer = answer.map_err(|error| ToolError::feedback(error.to_string()))?;
        Ok(Json(answer))
    }
}

/// Answers with what the model says.
struct Talks(Journal);

#[tools]
impl Step for Talks {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        format!("Hint: {}", cx.transient()["hint"]).into()
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        self.0.add("enter");
        cx.save_state(json!({ "entered": true }));
        Ok(())
    }

    async fn on_exit(&self, _cx: &mut Cx<'_>) -> HookResult {
        self.0.add("exit");
        Ok(())
    }

    async fn on_crossing(
        &self,
        _cx: &mut Cx<'_>,
        message: Option<String>,
        _prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        self.0.add("crossing");
        Ok(message)
    }
}

struct Structured;

#[tools]
impl Step for Structured {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(no_arguments())
    }
}

/// Answers by a tool, in all kinds of ways.
struct Worker;

#[tools]
impl Step for Worker {
    /// Answer
    #[tool(define)]
    fn answer(&self, cx: &mut Cx<'_>, with: Value) -> Result<ToolResponse, ToolError> {
        cx.save_state(json!({ "answered": with }));
        Ok(match with.as_str() {
            Some("with_prompt") => direct_result(1).with_prompt("Prompt."),
            Some("retry") => return Err(ToolError::feedback("Say it again.")),
            Some("panic") => panic!("the child panics"),
            _ => direct_result(with).with_state(json!({ "attached": 1 })),
        })
    }
}

/// Runs itself as a child, for ever.
struct Nested;

#[tools]
impl Step for Nested {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.run_step(Self::ID, None).await?;
        Ok(())
    }
}

fn steps(journal: &Journal) -> Steps {
    Steps::new().add(Parent).add(Talks(journal.clone())).add(Structured).add(Worker).add(Nested)
}

/// A parent that makes this call when the user says `run`.
fn model(tool: &'static str, arguments: Value) -> ScriptedModel {
    ScriptedModel::new()
        .on_call(Rule::new().step("Parent").latest("run"), [(tool, arguments)])
        .on(Rule::new().step("Parent"), "Parent speaks.")
        .on(Rule::new().step("Talks"), "Child speaks.")
        .on(Rule::new().step("Structured"), r#"{"title":"Up"}"#)
}

async fn talk(model: ScriptedModel) -> Talk {
    Talk::new(steps(&Journal::default()), model).await
}

#[tokio::test]
async fn a_child_answers_with_its_text_and_the_cursor_stays() {
    let journal = Journal::default();
    let run = json!({ "child": "Talks", "message": "Say a word." });
    let mut talk = Talk::new(steps(&journal), model("run", run)).await;
    let reply = talk.say("run").await;
    assert_eq!(reply.step, Parent::ID);
    assert_eq!(answers(&talk.last_request()), [r#""Child speaks.""#]);
    assert_eq!(journal.take(), ["enter", "exit"]);
    assert_eq!(talk.memory("Talks").await, ["human: Say a word.", "ai: Child speaks."]);
    assert_eq!(talk.state("Talks").await, json!({ "entered": true }));
    assert_eq!(
        events(&reply),
        ["model Parent", "child Talks 1", "model Talks", "tool run", "model Parent"]
    );
    let session = serde_json::to_value(talk.session().await).unwrap();
    assert_eq!(
        session["flow"]["sequence"],
        json!([{ "level": 1, "stepName": "Parent" }, { "level": 2, "stepName": "Talks" }])
    );
}

#[tokio::test]
async fn transient_data_reaches_the_child_and_is_not_stored() {
    let mut talk = talk(model("run", json!({ "child": "Talks" }))).await;
    talk.say("run").await;
    assert_eq!(talk.requests()[1].prompt(), r#"Hint: "from the parent""#);
    let document = serde_json::to_value(talk.session().await).unwrap();
    let states = document["flow"]["steps"].to_string();
    assert!(!states.contains("from the parent"), "{states}");
}

#[tokio::test]
async fn a_child_without_a_message_has_something_to_answer() {
    let mut talk = talk(model("run", json!({ "child": "Talks" }))).await;
    talk.say("run").await;
    talk.say("run").await;
    assert_eq!(
        talk.memory("Talks").await,
        ["human: Start", "ai: Child speaks.", "human: Start", "ai: Child speaks."]
    );
}

#[tokio::test]
async fn a_structured_child_answers_with_its_object() {
    let mut talk = talk(model("run", json!({ "child": "Structured" }))).await;
    talk.say("run").await;
    assert_eq!(answers(&talk.last_request()), [r#"{"title":"Up"}"#]);
}

fn worker(with: &[Value]) -> ScriptedModel {
    let mut worker = model("run", json!({ "child": "Worker" }));
    for with in with {
        let answer = [("answer", json!({ "with": with }))];
        worker = worker.on_call(Rule::new().step("Worker").times(1), answer);
    }
    worker
}

#[tokio::test]
async fn a_child_answers_by_direct_result_without_another_model_call() {
    let mut talk = talk(worker(&[json!({ "rooms": [1, 2] })])).await;
    talk.say("run").await;
    assert_eq!(answers(&talk.last_request()), [r#"{"rooms":[1,2]}"#]);
    assert_eq!(
        talk.state("Worker").await,
        json!({ "answered": { "rooms": [1, 2] }, "attached": 1 })
    );
    assert_eq!(talk.requests().len(), 3);
}

#[tokio::test]
async fn a_childs_handler_that_errs_lets_its_model_try_again() {
    let mut talk = talk(worker(&[json!("retry"), json!(7)])).await;
    talk.say("run").await;
    assert_eq!(answers(&talk.last_request()), ["7"]);
    assert_eq!(answers(&talk.requests()[2]), ["Say it again."]);
}

#[tokio::test]
async fn a_prompt_beside_a_childs_answer_is_refused() {
    let mut talk = talk(worker(&[json!("with_prompt")])).await;
    assert_eq!(talk.say("run").await.text, "Parent speaks.");
    let told = answers(&talk.last_request());
    assert!(told[0].contains("`with_prompt`"), "{told:?}");
}

#[tokio::test]
async fn direct_result_outside_a_child_fails_the_turn() {
    let model = ScriptedModel::new().on_call(Rule::new(), [("answer", json!({ "with": 1 }))]);
    let flow = TestFlow::new(steps(&Journal::default())).initial("Worker");
    let mut talk = Talk::of(flow, model).await;
    let error = talk.fail("Hi").await;
    assert!(
        matches!(&error, TurnError::Misuse { step, reason } if *step == Worker::ID && reason.contains("`direct_result`")),
        "{error}"
    );
}

#[tokio::test]
async fn a_childs_own_failure_is_its_callers_to_handle() {
    // The child's model has no rule for it.
    let mut talk = talk(model("run", json!({ "child": "Worker" }))).await;
    let reply = talk.say("run").await;
    assert_eq!(reply.text, "Parent speaks.");
    let told = answers(&talk.last_request());
    assert!(told[0].starts_with("child `Worker`:"), "{told:?}");
}

#[tokio::test]
async fn children_in_children_meet_the_limit_of_levels() {
    let flow = TestFlow::new(steps(&Journal::default())).limits(Limits::default().nesting(3));
    let mut talk = Talk::of(flow, model("run", json!({ "child": "Nested" }))).await;
    let reply = talk.say("run").await;
    let told = answers(&talk.last_request());
    assert!(told[0].contains("limit of 3 levels of children"), "{told:?}");
    let levels: Vec<_> =
        events(&reply).into_iter().filter(|event| event.starts_with("child")).collect();
    assert_eq!(levels, ["child Nested 1", "child Nested 2", "child Nested 3"]);
}

#[tokio::test]
async fn children_of_a_turn_meet_the_limit_of_invocations() {
    let model = ScriptedModel::new()
        .on_call(
            Rule::new().step("Parent").latest("run"),
            vec![("run", json!({ "child": "Talks" })); 3],
        )
        .on(Rule::new().step("Parent"), "Parent speaks.")
        .on(Rule::new().step("Talks"), "Child speaks.");
    let flow = TestFlow::new(steps(&Journal::default())).limits(Limits::default().invocations(2));
    let mut talk = Talk::of(flow, model).await;
    talk.say("run").await;
    let told = answers(&talk.last_request());
    assert_eq!(told[..2], [r#""Child speaks.""#; 2]);
    assert!(told[2].contains("limit of 2 children"), "{told:?}");
    // Each turn counts anew.
    talk.say("run").await;
}

/// Panics as a child.
struct Bursts;

#[tools]
impl Step for Bursts {
    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        panic!("the child bursts")
    }
}

#[tokio::test]
async fn a_child_that_panics_does_not_make_the_next_one_deeper() {
    let model = ScriptedModel::new()
        .on_call(
            Rule::new().step("Parent").latest("run"),
            [("run", json!({ "child": "Bursts" })), ("run", json!({ "child": "Talks" }))],
        )
        .on(Rule::new().step("Parent"), "Parent speaks.")
        .on(Rule::new().step("Talks"), "Child speaks.");
    let mut talk = Talk::new(steps(&Journal::default()).add(Bursts), model).await;
    let reply = talk.say("run").await;
    let started: Vec<_> =
        events(&reply).into_iter().filter(|event| event.starts_with("child")).collect();
    assert_eq!(started, ["child Bursts 1", "child Talks 1"]);
    // What the failed handler wrote is undone, the other's is not.
    assert_eq!(talk.state("Talks").await, json!({ "entered": true }));
}

#[tokio::test]
async fn a_child_on_its_parents_namespace_leaves_a_valid_history() {
    let journal = Journal::default();
    let steps = Steps::new().add(Parent.memory("shared")).add(Talks(journal).memory("shared"));
    let run = json!({ "child": "Talks", "message": "Say a word." });
    let mut talk = Talk::new(steps, model("run", run)).await;
    assert_eq!(talk.say("run").await.text, "Parent speaks.");
    let memory = talk.memory("shared").await;
    assert_eq!(memory.len(), 6, "{memory:?}");
    assert!(memory.contains(&"ai: Child speaks.".to_owned()), "{memory:?}");
}
