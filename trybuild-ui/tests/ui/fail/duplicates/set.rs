use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tools(["b", "a"])]
    fn y(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    #[tools(["a", "b"])]
    fn z(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
