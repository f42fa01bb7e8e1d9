use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Not this one.
    #[tool(define, description = " ")]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
