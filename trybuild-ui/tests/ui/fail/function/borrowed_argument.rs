use picoflow::prelude::*;

/// Greet
#[tool]
fn greet(_name: &str) -> String {
    String::new()
}

fn main() {}
