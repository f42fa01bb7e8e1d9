use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tools]
    fn bare(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    #[tools([])]
    fn empty(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
