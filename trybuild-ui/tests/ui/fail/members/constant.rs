use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    const NAME: u8 = 0;
}

fn main() {}
