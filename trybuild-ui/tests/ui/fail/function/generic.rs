use picoflow::prelude::*;

/// Typed
#[tool]
fn typed<T>() -> String {
    String::new()
}

/// Implied
#[tool]
fn implied(_name: impl Into<String>) -> String {
    String::new()
}

fn main() {}
