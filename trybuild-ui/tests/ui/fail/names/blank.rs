use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool("")]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    #[tool(name = "  ")]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
