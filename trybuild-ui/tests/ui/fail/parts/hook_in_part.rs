use picoflow::prelude::*;

struct NameStep;

#[tools(parts("billing"))]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing")]
impl NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Never read.".into()
    }
}

fn main() {}
