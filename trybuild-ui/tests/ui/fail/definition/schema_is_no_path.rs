use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(define, description = "Leave", schema = "no_fields")]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
