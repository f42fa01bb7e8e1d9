use picoflow::prelude::*;

const LEAVE: &str = "leave";

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(name = LEAVE)]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    #[tool(42)]
    fn number(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
