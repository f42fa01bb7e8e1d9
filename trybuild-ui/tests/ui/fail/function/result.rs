use picoflow::prelude::*;

/// Nothing
#[tool]
fn nothing() {}

fn main() {}
