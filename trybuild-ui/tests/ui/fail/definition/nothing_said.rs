use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    ///
    #[tool("stop", define)]
    fn blank(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
