//! Which model a step asks.

use crate::support::{Talk, TestFlow};
use picoflow::{
    TurnError,
    model::{ChatRequest, ModelError, ModelFailure, Recovery},
    prelude::*,
    testing::{Rule, ScriptedModel},
};

fn small() -> ModelRef {
    ModelRef::new("test", "small").param("temperature", 0.5)
}

/// Chooses by its state.
struct Chooser;

#[tools]
impl Step for Chooser {
    fn model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        let name = cx.state()["model"].as_str()?;
        Some(match name {
            "strict" => ModelRef::new("test", "strict").strict_tools(),
            "small" => ModelRef::new("test", "small").param("top_p", 1),
            "secret" => ModelRef::new("test", "small").param("api_key", "x"),
            name => ModelRef::new("test", name),
        })
    }

    /// Take another model
    #[tool(define)]
    fn take(&self, cx: &mut Cx<'_>, model: String, _note: Option<String>) -> ToolResponse {
        cx.save_state(json!({ "model": model }));
        stay()
    }

    /// Run the derived step
    #[tool(define)]
    async fn child(&self, cx: &mut Cx<'_>) -> Result<Json<Value>, ToolError> {
        Ok(Json(cx.run_step(Derived::ID, None).await?))
    }

    async fn on_model_error(
        &self,
        _cx: &mut Cx<'_>,
        _failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        Ok(Recovery::RetryWith(ModelRef::new("test", "other").strict_tools()))
    }
}

/// Its base chooses for it, by the derived step's state.
struct Derived(Chooser);

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        assert_eq!(Step::model(&self.0, cx), None);
        cx.save_state(json!({ "model": "child" }));
        Ok(())
    }
}

async fn talk(calls: &[Value]) -> Talk {
    let mut model = ScriptedModel::new();
    for arguments in calls {
        let call = [("take", arguments.clone())];
        model = model.on_call(Rule::new().step("Chooser").times(1), call);
    }
    with(model.on(Rule::new(), "Done.")).await
}

async fn with(model: ScriptedModel) -> Talk {
    let steps = Steps::new().add(Chooser.model(small())).add(Derived(Chooser));
    Talk::of(TestFlow::new(steps), model).await
}

fn is_strict(request: &ChatRequest) -> bool {
    request.tools.iter().all(|tool| tool.is_strict())
}

#[tokio::test]
async fn a_step_chooses_its_model_before_each_call() {
    let calls = ["strict", "small", "plain"].map(|model| json!({ "model": model }));
    let mut talk = talk(&calls).await;
    talk.say("Hi").await;
    let asked: Vec<_> = talk.requests();
    let names: Vec<_> = asked.iter().map(|request| request.model.name()).collect();
    assert_eq!(names, ["small", "strict", "small", "plain"]);
    // The entry's parameters are there for the same model alone.
    assert_eq!(asked[1].model.params().len(), 0);
    assert_eq!(
        Value::from(asked[2].model.params().clone()),
        json!({ "temperature": 0.5, "top_p": 1 })
    );
    // What is told follows the model.
    let strict: Vec<_> = asked.iter().map(is_strict).collect();
    assert_eq!(strict, [false, true, false, false]);
    let required = |request: &ChatRequest| request.tools[0].schema()["required"].clone();
    assert_eq!(required(&asked[0]), json!(["model"]));
    assert_eq!(required(&asked[1]), json!(["model", "_note"]));
    // It is the session's choice, and stays with it.
    talk.say("more").await;
    assert_eq!(talk.last_request().model.name(), "plain");
}

#[tokio::test]
async fn a_base_chooses_for_the_derived_step() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Chooser").times(1), [("child", json!({}))])
        .on(Rule::new(), "Done.");
    let mut talk = with(model).await;
    talk.say("Hi").await;
    let asked = talk.requests();
    let names: Vec<_> = asked.iter().map(|request| request.model.name()).collect();
    assert_eq!(names, ["small", "child", "small"]);
}

#[tokio::test]
async fn a_recovery_goes_before_the_choice_and_tells_its_own_form() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().times(1), [("take", json!({ "model": "broken" }))])
        .answer(Rule::new(), |request| match request.model.name() {
            "broken" => Err(ModelError::permanent("down")),
            name => Ok(ModelReply::text(name)),
        });
    let mut talk = with(model).await;
    assert_eq!(talk.say("Hi").await.text, "other");
    let strict: Vec<_> = talk.requests().iter().map(is_strict).collect();
    assert_eq!(strict, [false, false, true]);
    // For the turn alone.
    talk.say("more").await;
    let asked = talk.requests();
    let names: Vec<_> = asked[3..].iter().map(|request| request.model.name()).collect();
    assert_eq!(names, ["broken", "other"]);
}

#[tokio::test]
async fn a_choice_that_cannot_be_asked_fails_the_turn() {
    for (name, part) in [("secret", "`api_key`"), (" ", "no model name")] {
        let mut talk = talk(&[json!({ "model": name })]).await;
        let error = talk.fail("Hi").await;
        assert!(
            matches!(&error, TurnError::Misuse { step, reason } if *step == Chooser::ID && reason.contains("`model`") && reason.contains(part)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_entry_inherits_the_strict_form_of_the_same_model() {
    struct Strict;

    #[tools]
    impl Flow for Strict {
        fn model(&self) -> ModelRef {
            small().strict_tools()
        }

        fn steps(&self) -> Steps {
            Steps::new().add(Chooser.model(small()))
        }
    }

    let mut talk = Talk::of(Strict, ScriptedModel::new().on(Rule::new(), "Done.")).await;
    talk.say("Hi").await;
    assert!(is_strict(&talk.last_request()));
}
