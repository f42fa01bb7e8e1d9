use picoflow::prelude::*;

struct NameStep;

#[tools(parts("billing"))]
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

#[tools(part = "billing")]
impl NameStep {
    #[tool]
    fn pay(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
