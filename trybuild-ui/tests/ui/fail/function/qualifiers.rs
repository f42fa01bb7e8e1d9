use picoflow::prelude::*;

/// Unsafe
#[tool]
unsafe fn unchecked() -> String {
    String::new()
}

/// Extern
#[tool]
extern "C" fn foreign() -> String {
    String::new()
}

/// Const
#[tool]
const fn constant() -> &'static str {
    ""
}

fn main() {}
