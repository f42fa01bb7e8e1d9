use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
