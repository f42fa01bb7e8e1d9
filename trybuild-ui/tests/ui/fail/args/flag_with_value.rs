use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Leave
    #[tool(define, strict = "yes")]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
