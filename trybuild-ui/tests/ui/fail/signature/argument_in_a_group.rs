use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tools(["a", "b"])]
    fn named(&self, _name: String) -> ToolResponse {
        stay()
    }

    #[tools(["c", "d"])]
    fn both(&self, _calls: &[ToolCall], _call: ToolCall) -> ToolResponse {
        stay()
    }
}

fn main() {}
