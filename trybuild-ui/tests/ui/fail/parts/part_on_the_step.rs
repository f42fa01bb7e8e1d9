use picoflow::prelude::*;

struct NameStep;

#[tools(part = "billing")]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
