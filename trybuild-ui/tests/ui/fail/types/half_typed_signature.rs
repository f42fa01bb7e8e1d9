use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, call: ) -> ToolResponse {
        stay()
    }
}

fn main() {}
