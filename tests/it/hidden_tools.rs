//! Names that `hide_tools` says and the step does not expose.

use crate::support::{Talk, TestFlow, warnings};
use picoflow::{
    BuildError,
    flow::BuildWarning,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Declares a step that offers `refund` and `leave` and hides what is given.
macro_rules! hides {
    ($name:ident, |$cx:ident| $body:expr) => {
        struct $name;

        #[tools]
        impl Step for $name {
            fn hide_tools(&self, $cx: &Cx<'_>) -> Hidden {
                $body
            }

            /// Pay back
            #[tool(define)]
            fn refund(&self) -> ToolResponse {
                stay()
            }

            #[tool]
            fn leave(&self) -> ToolResponse {
                stay()
            }
        }
    };
}

hides!(Array, |_cx| ["refnd", "leave"].into());
hides!(Made, |_cx| Hidden::from(["refnd"]));
hides!(Names, |_cx| Hidden::Names(vec!["leave".into(), "refnd".into()]));
hides!(Arm, |cx| match cx.state()["paid"].as_bool() {
    Some(true) => ["refnd"].into(),
    _ => Hidden::None,
});
hides!(Right, |cx| if cx.state()["nobody"] == "refnd" { ["refund"].into() } else { Hidden::All });
hides!(Late, |_cx| {
    let name = "refnd";
    Hidden::Names(vec![name.into(), "leave".into()])
});

async fn found(steps: Steps) -> Vec<BuildWarning> {
    let flow = TestFlow::new(steps).define(["leave"]);
    match Engine::builder().flow(flow).model(ScriptedModel::new()).strict().build().await {
        Ok(_) => Vec::new(),
        Err(BuildError::Flows { warnings, .. }) => {
            let is_it = |warning: &BuildWarning| matches!(warning, BuildWarning::HiddenTool { .. });
            warnings.into_iter().filter(is_it).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_hidden_name_in_a_literal_is_checked_at_build() {
    for steps in [
        Steps::new().add(Array),
        Steps::new().add(Made),
        Steps::new().add(Names),
        Steps::new().add(Arm),
    ] {
        let found = found(steps).await;
        let [warning] = &*found else {
            panic!("{found:?}");
        };
        let text = warning.to_string();
        assert!(text.contains("`hide_tools` names `refnd`"), "{text}");
        assert!(text.contains("Did you mean `refund`?"), "{text}");
    }
    assert_eq!(found(Steps::new().add(Right)).await, []);
}

/// Builds on a step that hides a tool of this one.
struct Derived(Base);

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

struct Other(Base);

#[tools]
impl Step for Other {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

struct Base;

#[tools]
impl Step for Base {
    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        ["leave"].into()
    }
}

#[tokio::test]
async fn a_base_may_hide_what_some_of_its_steps_expose() {
    assert_eq!(found(Steps::new().add(Derived(Base)).add(Other(Base))).await, []);
    let found = found(Steps::new().add(Other(Base))).await;
    assert!(
        matches!(&*found, [BuildWarning::HiddenTool { step, tool, .. }] if *step == Base::ID && tool == "leave"),
        "{found:?}"
    );
}

/// Runs children that hide a name that is not there.
struct Starter;

#[tools]
impl Step for Starter {
    /// Run them
    #[tool(define)]
    async fn run(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Late::ID, None).await?;
        let child = |key| Child::new(Late::ID).key(key);
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(go(Late::ID))
    }
}

#[tokio::test]
async fn a_hidden_name_at_run_time_is_warned_of_once_a_turn() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Starter"), [("run", json!({}))])
        .on_call(Rule::new().step("Late").latest("Start").times(4), [("refund", json!({}))])
        .on(Rule::new(), "Done.");
    let flow = TestFlow::new(Steps::new().add(Starter).add(Late));
    let mut talk = Talk::of(flow.define(["leave"]), model).await;
    let reply = talk.say("Hi").await;
    let text = "`hide_tools` names `refnd`, which the step does not expose: did you mean `refund`?";
    assert_eq!(warnings(&reply), [text]);
    assert_eq!(talk.session().await.warn.len(), 1);
    // The next turn says it again.
    assert_eq!(warnings(&talk.say("more").await), [text]);
}

#[tokio::test]
async fn hiding_nothing_warns_of_nothing() {
    let model = ScriptedModel::new().on(Rule::new(), "Done.");
    let flow = TestFlow::new(Steps::new().add(Right)).define(["leave"]);
    let mut talk = Talk::of(flow, model).await;
    assert_eq!(warnings(&talk.say("Hi").await), [""; 0]);
}
