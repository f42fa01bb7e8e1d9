use picoflow::prelude::*;

/// Leave
#[tool]
fn leave() -> ToolResponse {
    stay()
}

fn main() {}
