use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing")]
impl NameStep {
    #[tool]
    fn refund(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
