use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(define, description = 42)]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
