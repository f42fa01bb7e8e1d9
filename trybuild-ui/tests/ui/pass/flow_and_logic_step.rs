//! The other two blocks: a flow with tools of its own, and a step that calls no model.
#![deny(warnings)]

use picoflow::prelude::*;

struct BasicFlow;

#[tools(parts("more"))]
impl Flow for BasicFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("openai", "gpt-4o-mini")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Router).add(TerminateSessionStep)
    }

    /// Leave the conversation
    #[tool(define)]
    async fn leave(&self, cx: &mut Cx<'_>, reason: Option<String>) -> ToolResponse {
        cx.save_state(json!({ "reason": reason, "flow": Self::ID.as_str() }));
        go(TerminateSessionStep::ID)
    }
}

#[tools(part = "more")]
impl BasicFlow {
    #[tool]
    fn help(&self) -> ToolResponse {
        stay_with(Self::TEXT)
    }

    const TEXT: &'static str = "Help yourself";
}

struct Router;

#[tools]
impl LogicStep for Router {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(self.next())
    }

    fn next(&self) -> StepResponse {
        go(TerminateSessionStep::ID)
    }
}

fn main() {
    assert_eq!(BasicFlow::ID, "BasicFlow");
    let tools: Vec<_> = BasicFlow::TABLE
        .blocks
        .iter()
        .flat_map(|block| block.tools)
        .map(|row| row.tool)
        .collect();
    assert_eq!(tools, ["leave", "help"]);
    assert_eq!(BasicFlow::TABLE.blocks[0].references.len(), 1);
    assert_eq!(<Router as LogicStep>::ID, "Router");
    let block = &<Router as LogicStep>::TABLE.blocks[0];
    assert_eq!(block.references.len(), 1);
}
