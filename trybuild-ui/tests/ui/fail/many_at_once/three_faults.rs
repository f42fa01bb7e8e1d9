use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(nme = "a")]
    fn a(&self) -> ToolResponse {
        stay()
    }

    #[tools(["b", "b", ""])]
    fn b(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    #[tool("c.d", description = "e")]
    fn c(&mut self, _cx: Cx<'_>, _reason: &str) -> ToolResponse {
        stay()
    }
}

fn main() {
    // Nothing about a missing trait or method on top of the errors above.
    let _ = NameStep::ID;
    let _ = NameStep.a();
}
