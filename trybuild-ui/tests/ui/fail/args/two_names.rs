use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool("leave", name = "end_chat")]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    #[tool("a", "b")]
    fn both(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
