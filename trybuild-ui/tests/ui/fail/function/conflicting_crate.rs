use picoflow::prelude::*;

/// Greet
#[tool(crate = ::nowhere)]
fn greet() -> String {
    String::new()
}

fn main() {}
