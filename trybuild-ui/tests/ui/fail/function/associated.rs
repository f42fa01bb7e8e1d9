use picoflow::prelude::*;

struct Orders;

impl Orders {
    /// Greet
    #[tool]
    fn greet() -> String {
        String::new()
    }
}

fn main() {}
