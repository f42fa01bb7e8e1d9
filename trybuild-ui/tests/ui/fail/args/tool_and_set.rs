use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    #[tools(["a", "b"])]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
