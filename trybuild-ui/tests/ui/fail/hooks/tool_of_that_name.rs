use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn limits(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
