//! Tools that have no strict form.

use crate::support::{Talk, TestFlow};
use picoflow::{
    flow::{BuildNote, BuildReport, BuildWarning},
    prelude::*,
    strict_form,
    testing::{Rule, ScriptedModel},
};
use std::collections::BTreeMap;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "for its schema")]
struct Flat {
    id: u8,
    #[serde(flatten)]
    how: How,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "how")]
#[expect(dead_code, reason = "for its schema")]
enum How {
    Fast { km: u8 },
    Slow,
}

struct Desk;

#[tools]
impl Step for Desk {
    /// Takes a flattened choice
    #[tool(define, strict)]
    fn flat(&self, Args(_flat): Args<Flat>) -> ToolResponse {
        stay()
    }

    /// Takes a map
    #[tool(define)]
    fn map(&self, _prices: BTreeMap<String, f64>) -> ToolResponse {
        stay()
    }

    /// Takes anything
    #[tool(define)]
    fn raw(&self, Args(_value): Args<Value>) -> ToolResponse {
        stay()
    }

    /// Takes a number
    #[tool(define)]
    fn plain(&self, _n: Option<u8>) -> ToolResponse {
        stay()
    }
}

async fn report(model: ModelRef) -> BuildReport {
    let flow = TestFlow::new(Steps::new().add(Desk.model(model)));
    let engine = Engine::builder().flow(flow).model(ScriptedModel::new()).build().await.unwrap();
    engine.flows().next().unwrap().report().clone()
}

#[tokio::test]
async fn a_tool_without_a_strict_form_is_in_the_report() {
    let plain = ModelRef::new("test", "script");
    for model in [plain.clone(), plain.strict_tools()] {
        let report = report(model.clone()).await;
        let warned = report.warnings.iter().any(|warning| {
            matches!(warning, BuildWarning::NoStrictForm { tool, reason, .. }
                if tool == "flat" && reason.contains("root"))
        });
        assert!(warned, "{report:?}");
        let noted = |name| {
            let is = |note: &BuildNote| matches!(note, BuildNote::NoStrictForm { tool, .. } if tool == name);
            report.notes.iter().any(is)
        };
        let is_strict = model != ModelRef::new("test", "script");
        assert_eq!([noted("map"), noted("raw"), noted("plain")], [is_strict, is_strict, false]);
    }
}

#[tokio::test]
async fn a_tool_without_a_strict_form_is_told_as_it_is() {
    let model = ModelRef::new("test", "script").strict_tools();
    let script = ScriptedModel::new().on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Desk.model(model)), script).await;
    talk.say("go").await;
    for tool in talk.last_request().tools.iter() {
        let is_plain = tool.name() == "plain";
        assert_eq!(tool.is_strict(), is_plain, "{}", tool.name());
        if !is_plain {
            assert_eq!(strict_form(tool.schema()), *tool.schema());
            assert_ne!(tool.schema()["additionalProperties"], json!(false));
        }
    }
}
