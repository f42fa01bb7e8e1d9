use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, _user: Args) -> ToolResponse {
        stay()
    }
}

fn main() {}
