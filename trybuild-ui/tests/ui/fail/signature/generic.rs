use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn typed<T>(&self) -> ToolResponse {
        stay()
    }

    #[tool]
    fn implied(&self, _name: impl Into<String>) -> ToolResponse {
        stay()
    }
}

fn main() {}
