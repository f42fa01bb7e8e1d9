use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool("capture_name")]
    fn save_name(&self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn capture_name(&self) -> ToolResponse {
        stay()
    }

    #[tool("leave")]
    #[tool("leave")]
    fn end_chat(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
