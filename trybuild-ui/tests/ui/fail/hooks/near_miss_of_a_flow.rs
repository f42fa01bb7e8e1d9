use picoflow::prelude::*;

struct BasicFlow;

#[tools]
impl Flow for BasicFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("openai", "gpt-4o-mini")
    }

    fn steps(&self) -> Steps {
        Steps::new()
    }

    fn inital_step(&self, _context: &Value) -> Option<StepId> {
        None
    }
}

fn main() {}
