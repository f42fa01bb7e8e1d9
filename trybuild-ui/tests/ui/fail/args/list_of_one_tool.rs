use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(["a", "b"])]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
