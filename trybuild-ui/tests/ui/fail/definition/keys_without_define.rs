use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(description = "Leave")]
    fn leave(&self) -> ToolResponse {
        stay()
    }

    #[tool(schema = no_fields)]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
