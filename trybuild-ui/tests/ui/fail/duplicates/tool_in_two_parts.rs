use picoflow::prelude::*;

struct NameStep;

#[tools(parts("billing"))]
impl Step for NameStep {
    #[tool]
    fn refund(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing")]
impl NameStep {
    #[tool("refund")]
    fn pay_back(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
