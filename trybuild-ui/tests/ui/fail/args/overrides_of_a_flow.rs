use picoflow::prelude::*;

struct Greeter;

#[tools]
impl Step for Greeter {
    #[tool(overrides)] // the flow handles it: fine
    fn greet(&self) -> ToolResponse {
        stay()
    }
}

struct Welcome;

#[tools]
impl Flow for Welcome {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Greeter)
    }

    /// Greet
    #[tool(define, overrides)]
    fn greet(&self) -> ToolResponse {
        stay()
    }

    /// Wave
    #[tool("wave", define, overrides)]
    fn wave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
