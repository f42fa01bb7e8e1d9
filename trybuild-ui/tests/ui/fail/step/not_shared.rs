use picoflow::prelude::*;
use std::cell::{Cell, RefCell};

struct CounterStep(Cell<u8>);

#[tools]
impl Step for CounterStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        format!("You are at {}.", self.0.get()).into()
    }
}

struct CounterFlow(RefCell<Vec<u8>>);

#[tools]
impl Flow for CounterFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(CounterStep(Cell::new(0)))
    }

    #[tool]
    fn push(&self, number: u8) -> ToolResponse {
        self.0.borrow_mut().push(number);
        stay()
    }
}

fn main() {}
