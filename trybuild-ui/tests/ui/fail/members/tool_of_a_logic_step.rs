use picoflow::prelude::*;

struct Router;

#[tools(parts("more"))]
impl LogicStep for Router {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go("NameStep"))
    }

    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
