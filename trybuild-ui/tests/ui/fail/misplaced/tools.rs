use picoflow::prelude::*;

struct NameStep;

impl NameStep {
    #[tools(["a", "b"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tools]
fn free() {}

#[tools]
struct NotAnImpl;

fn main() {
    let _ = NameStep.both(&[]);
    free();
    let _ = NotAnImpl;
}
