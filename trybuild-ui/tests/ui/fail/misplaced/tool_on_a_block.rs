use picoflow::prelude::*;

struct NameStep;

#[tool]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
