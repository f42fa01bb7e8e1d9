use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, _cx: Cx<'_>) -> ToolResponse {
        stay()
    }
}

fn main() {}
