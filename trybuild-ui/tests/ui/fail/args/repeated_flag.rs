use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Leave
    #[tool(define, strict, strict)]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    /// Stop
    #[tool(define, lenient, description = "a", description = "b")]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
