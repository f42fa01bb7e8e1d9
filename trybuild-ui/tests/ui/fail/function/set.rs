use picoflow::prelude::*;

/// Both
#[tool]
#[tools(["a", "b"])]
fn both(_call: ToolCall) -> String {
    String::new()
}

fn main() {}
