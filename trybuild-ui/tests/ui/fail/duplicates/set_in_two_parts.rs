use picoflow::prelude::*;

struct NameStep;

#[tools(parts("billing"))]
impl Step for NameStep {
    #[tools(["a", "b"])]
    fn y(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing")]
impl NameStep {
    #[tools(["b", "a"])]
    fn z(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
