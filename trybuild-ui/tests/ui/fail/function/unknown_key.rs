use picoflow::prelude::*;

/// Greet
#[tool(lenent)]
fn greet() -> String {
    String::new()
}

fn main() {}
