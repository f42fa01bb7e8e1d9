use picoflow::prelude::*;

trait Greets {
    /// Greet
    #[tool]
    fn greet() -> String {
        String::new()
    }

    /// Leave
    #[tool]
    fn leave(&self) -> String {
        String::new()
    }
}

fn main() {}
