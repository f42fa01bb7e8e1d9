use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn exclusive(&mut self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn owned(self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn none() -> ToolResponse {
        stay()
    }
}

fn main() {}
