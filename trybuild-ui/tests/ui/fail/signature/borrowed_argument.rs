use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, _name: &str) -> ToolResponse {
        stay()
    }
}

fn main() {}
