use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    unsafe fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
