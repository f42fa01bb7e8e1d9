use picoflow::prelude::*;

trait Greets {
    /// Greet
    #[tool]
    fn greet(&self) -> String;
}

fn main() {}
