use picoflow::prelude::*;

struct NameStep;

impl NameStep {
    #[tool("leave")]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tool]
struct NotAMethod;

fn main() {
    // What the attributes stand on exists in spite of the errors.
    let _ = NameStep.leave();
    let _ = NotAMethod;
}
