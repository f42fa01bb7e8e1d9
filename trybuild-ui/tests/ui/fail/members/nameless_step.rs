use picoflow::prelude::*;

#[tools]
impl Step for (u8, u8) {}

fn main() {}
