use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Leave
    #[tool(define, define)]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
