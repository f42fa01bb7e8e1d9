use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tools("a", "b")]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    #[tools("c")]
    fn one(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
