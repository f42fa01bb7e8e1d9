use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[cfg(not(windows))]
    #[tool("leave")]
    fn leave_quietly(&self) -> ToolResponse {
        stay()
    }

    #[cfg(unix)]
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
