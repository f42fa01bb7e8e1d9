use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, call: ToolCall) -> ToolResponse {
        let name = call.;
        if name
    }
}

fn main() {
    let _ = NameStep::ID;
}
