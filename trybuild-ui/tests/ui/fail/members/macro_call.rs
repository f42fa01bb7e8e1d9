use picoflow::prelude::*;

macro_rules! leave {
    () => {
        fn leave(&self) -> ToolResponse {
            stay()
        }
    };
}

struct NameStep;

#[tools]
impl Step for NameStep {
    leave!();
}

fn main() {}
