use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct User {
    _name: String,
}

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn arguments(&self, _a: Args<User>, _b: Args<User>) -> ToolResponse {
        stay()
    }

    #[tool]
    fn contexts(&self, _a: &Cx<'_>, _b: &mut Cx<'_>) -> ToolResponse {
        stay()
    }

    #[tool]
    fn calls(&self, _a: ToolCall, _b: &ToolCall) -> ToolResponse {
        stay()
    }

    #[tools(["a", "b"])]
    fn lists(&self, _a: &[ToolCall], _b: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
