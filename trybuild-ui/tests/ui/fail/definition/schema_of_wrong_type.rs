use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(define, description = "Leave", schema = no_schema)]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

struct NoSchema;

fn no_schema() -> NoSchema {
    NoSchema
}

fn main() {}
