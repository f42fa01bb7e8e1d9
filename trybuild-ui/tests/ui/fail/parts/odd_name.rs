use picoflow::prelude::*;

struct NameStep;

#[tools(parts("bill-ing"))]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
