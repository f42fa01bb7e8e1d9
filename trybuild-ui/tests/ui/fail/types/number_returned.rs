use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn count(&self) -> u64 {
        1
    }
}

fn main() {}
