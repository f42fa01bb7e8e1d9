use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool = "leave"]
    fn end_chat(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
