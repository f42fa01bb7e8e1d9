use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, #[tool] _name: String) -> ToolResponse {
        stay()
    }
}

fn main() {}
