use picoflow::prelude::*;

/// Greet
#[tool]
fn greet(#[cfg(unix)] _name: String) -> String {
    String::new()
}

fn main() {}
