use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[cfg_attr(unix, tool)]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
