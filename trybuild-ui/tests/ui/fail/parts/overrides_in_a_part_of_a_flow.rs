use picoflow::prelude::*;

struct Welcome;

#[tools(parts("greetings"))]
impl Flow for Welcome {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new()
    }
}

#[tools(part = "greetings")]
impl Welcome {
    /// Greet
    #[tool(define, overrides)]
    fn greet(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
