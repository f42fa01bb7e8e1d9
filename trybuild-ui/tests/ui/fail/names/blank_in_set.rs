use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tools(["a", ""])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
