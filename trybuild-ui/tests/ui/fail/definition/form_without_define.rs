use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(strict)]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    #[tool("halt", lenient)]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
