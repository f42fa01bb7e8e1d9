use picoflow::prelude::*;
use std::cell::{Cell, RefCell};

struct CounterStep(Cell<u8>);

#[tools(parts("more"))]
impl Step for CounterStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        format!("You are at {}.", self.0.get()).into()
    }

    #[tool]
    fn set(&self, number: u8) -> ToolResponse {
        self.0.set(number);
        stay()
    }

    #[tools(["set", "double"])]
    async fn set_and_double(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tools(part = "more")]
impl CounterStep {
    #[tool]
    async fn double(&self) -> ToolResponse {
        self.0.set(self.0.get() * 2);
        stay()
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
