//! Hooks that err or panic.

use crate::support::Talk;
use picoflow::{
    TurnError,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Works until the user says so; then it fails in the hook that the user names.
struct Fails;

/// Errs, or panics, if the test's message says so.
fn fail(cx: &Cx<'_>, hook: &str) -> HookResult {
    let said = cx.step_state("Fails")["said"].as_str().unwrap_or_default();
    if said == format!("err {hook}") {
        return Err(format!("{hook} is broken").into());
    }
    assert!(said != format!("panic {hook}"), "{hook} panics");
    Ok(())
}

#[tools]
impl Step for Fails {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        fail(cx, "prompt").unwrap();
        Prompt::none()
    }

    async fn on_restore(&self, cx: &mut Cx<'_>) -> HookResult {
        fail(cx, "on_restore")
    }

    async fn on_exit(&self, cx: &mut Cx<'_>) -> HookResult {
        fail(cx, "on_exit")
    }

    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        fail(cx, "on_response")?;
        Ok(output.into_text().into())
    }

    /// Remember what the user said
    #[tool(define)]
    fn remember(&self, cx: &mut Cx<'_>, said: String) -> ToolResponse {
        cx.save_state(json!({ "said": said }));
        match &*said {
            said if said.contains("on_restore") => direct("remembered"),
            said if said.contains("run_logic") => go("Thinks"),
            said if ["exit", "enter", "crossing"].iter().any(|hook| said.ends_with(hook)) => {
                go("Other")
            }
            _ => stay_with("remembered"),
        }
    }
}

struct Other;

#[tools]
impl Step for Other {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        fail(cx, "on_enter")
    }

    async fn on_crossing(
        &self,
        cx: &mut Cx<'_>,
        _message: Option<String>,
        _prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        fail(cx, "on_crossing")?;
        Ok(None)
    }
}

struct Thinks;

#[tools]
impl LogicStep for Thinks {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        fail(cx, "run_logic")?;
        Ok(go(Other::ID))
    }
}

async fn talk() -> Talk {
    let model = ScriptedModel::new()
        .answer(Rule::new().step("Fails"), |request| {
            let said = request.latest().map_or("", |latest| &*latest.content);
            Ok(if said.starts_with("err") || said.starts_with("panic") {
                let call = ToolCall::new("1", "remember", &json!({ "said": said }));
                ModelReply::calls([call])
            } else {
                ModelReply::text("Fine.")
            })
        })
        .on(Rule::new(), "Other.");
    let steps = Steps::new().add(Fails).add(Other).add(Thinks);
    Talk::new(steps, model).await
}

#[tokio::test]
async fn an_error_of_a_hook_fails_the_turn_and_names_step_and_hook() {
    for (step, hook) in [
        ("Fails", "on_exit"),
        ("Fails", "on_response"),
        ("Other", "on_enter"),
        ("Other", "on_crossing"),
        ("Thinks", "run_logic"),
    ] {
        let mut talk = talk().await;
        talk.say("Hi").await;
        let error = talk.fail(&format!("err {hook}")).await;
        let TurnError::Hook { step: at, hook: failed, source } = &error else {
            panic!("{hook}: {error}");
        };
        assert_eq!((at.as_str(), *failed), (step, hook));
        assert_eq!(source.to_string(), format!("{hook} is broken"));
        assert_eq!(error.step().map(StepId::as_str), Some(step));
        let session = talk.session().await;
        let entry = &session.error[0];
        assert_eq!(entry.extra["step"], step);
        assert_eq!(entry.extra["code"], "HOOK_FAILED");
        assert!(entry.message.contains(hook), "{}", entry.message);
        // The turn is undone, the session is not.
        assert_eq!(talk.say("Hi").await.text, "Fine.");
    }
}

#[tokio::test]
async fn an_error_on_restore_fails_the_next_turn() {
    let mut talk = talk().await;
    talk.say("err on_restore").await;
    let error = talk.fail("Hi").await;
    assert!(matches!(error, TurnError::Hook { hook: "on_restore", .. }), "{error}");
}

#[tokio::test]
async fn a_panic_in_a_hook_fails_the_turn_and_leaves_the_session_usable() {
    for hook in ["on_exit", "on_response", "on_enter", "on_crossing", "run_logic", "prompt"] {
        let mut talk = talk().await;
        talk.say("Hi").await;
        let error = talk.fail(&format!("panic {hook}")).await;
        let TurnError::Panicked { message } = &error else {
            panic!("{hook}: {error}");
        };
        assert_eq!(*message, format!("{hook} panics"));
        assert_eq!(talk.say("Hi").await.text, "Fine.");
    }
}

#[tokio::test]
async fn a_hook_that_fails_at_the_start_stores_no_session() {
    struct Opening;

    #[tools]
    impl Step for Opening {
        async fn on_start(&self, cx: &mut Cx<'_>) -> HookResult {
            match cx.context()["config"].as_str() {
                Some("err") => Err("closed".into()),
                _ => Ok(()),
            }
        }
    }

    let model = ScriptedModel::new().on(Rule::new(), "Open.");
    let mut talk = Talk::new(Steps::new().add(Opening), model).await;
    let turn = talk.opening().message("Hi").config("err");
    let error = talk.run(turn).await.unwrap_err();
    assert!(matches!(error, TurnError::Hook { hook: "on_start", .. }), "{error}");
    assert_eq!(talk.stored().await, []);
    assert_eq!(talk.say("Hi").await.text, "Open.");
}

#[tokio::test]
async fn a_misuse_of_the_context_in_any_hook_fails_the_turn() {
    /// Reads a step that is not there, in the hook that the configuration names.
    struct Astray;

    fn look(cx: &Cx<'_>, hook: &str) {
        if cx.context()["config"] == hook {
            let _nothing = cx.step_state("Nobody");
        }
    }

    #[tools]
    impl Step for Astray {
        fn prompt(&self, cx: &Cx<'_>) -> Prompt {
            look(cx, "prompt");
            Prompt::none()
        }

        fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
            look(cx, "hide_tools");
            Hidden::None
        }

        fn output_schema(&self, cx: &Cx<'_>) -> Option<Value> {
            look(cx, "output_schema");
            None
        }

        fn check_response(&self, cx: &Cx<'_>, _reply: &ModelReply) -> Verdict {
            look(cx, "check_response");
            Verdict::Accept
        }

        fn is_end(&self, cx: &Cx<'_>) -> bool {
            look(cx, "is_end");
            false
        }

        async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
            look(cx, "on_enter");
            Ok(())
        }
    }

    for hook in ["prompt", "hide_tools", "output_schema", "check_response", "is_end", "on_enter"] {
        let model = ScriptedModel::new().on(Rule::new(), "Fine.");
        let mut talk = Talk::new(Steps::new().add(Astray), model).await;
        let open = talk.opening().message("Hi").config(hook);
        let error = talk.run(open).await.unwrap_err();
        assert!(matches!(error, TurnError::UnknownStep { .. }), "{hook}: {error}");
        assert_eq!(talk.stored().await, []);
        talk.say("Hi").await;
    }
}

struct Plain;

#[tools]
impl Step for Plain {}

#[tokio::test]
async fn an_initial_step_that_is_not_there_or_panics_fails_the_turn() {
    struct Begins;

    impl Flow for Begins {
        const ID: FlowId = FlowId::new("Begins");

        fn model(&self) -> ModelRef {
            ModelRef::new("test", "script")
        }

        fn steps(&self) -> Steps {
            Steps::new().add(Plain)
        }

        fn initial_step(&self, context: &Value) -> Option<StepId> {
            match context["config"].as_str() {
                Some("panic") => panic!("no way to begin"),
                Some(other) => Some(StepId::from(other.to_owned())),
                None => None,
            }
        }
    }

    let model = ScriptedModel::new().on(Rule::new(), "Fine.");
    let mut talk = Talk::of(Begins, model).await;
    let open = talk.opening().message("Hi");
    let error = talk.run(open.clone().config("Nowhere")).await.unwrap_err();
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    let error = talk.run(open.config("panic")).await.unwrap_err();
    assert!(matches!(error, TurnError::Panicked { .. }), "{error}");
    assert_eq!(talk.stored().await, []);
    talk.say("Hi").await;
}

#[tokio::test]
async fn a_model_that_panics_fails_the_turn() {
    let model = ScriptedModel::new()
        .answer(Rule::new().latest("panic"), |_| panic!("the model bursts"))
        .on(Rule::new(), "Fine.");
    let mut talk = Talk::new(Steps::new().add(Plain), model).await;
    talk.say("Hi").await;
    let error = talk.fail("panic").await;
    assert!(matches!(error, TurnError::Panicked { .. }), "{error}");
    assert_eq!(talk.say("Hi").await.text, "Fine.");
}
