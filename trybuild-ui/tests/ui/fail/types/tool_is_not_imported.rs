use picoflow::{ToolResponse, Step, stay, tools};

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
