use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool("shop.cancel")]
    fn cancel(&self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn größe(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
