use picoflow::prelude::*;

struct NameStep;

#[tools(parts("billing"))]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing", parts("returns"))]
impl NameStep {
    #[tool]
    fn refund(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
