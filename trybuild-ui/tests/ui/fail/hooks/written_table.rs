use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    const TABLE: u8 = 0;

    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
