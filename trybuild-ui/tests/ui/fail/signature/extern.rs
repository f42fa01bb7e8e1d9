use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    extern "C" fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
