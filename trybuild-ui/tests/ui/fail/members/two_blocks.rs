use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools]
impl Step for NameStep {
    #[tool]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
