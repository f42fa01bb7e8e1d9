use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn leave(&self, _cx: &ToolContext) -> ToolResponse {
        stay()
    }
}

fn main() {}
