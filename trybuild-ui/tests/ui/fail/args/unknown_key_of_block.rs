use picoflow::prelude::*;

struct NameStep;

#[tools(prts("billing"))]
impl Step for NameStep {
    #[tool]
    fn user_name(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
