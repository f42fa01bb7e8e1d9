use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(define, descriptio = "Capture the name")]
    fn user_name(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
