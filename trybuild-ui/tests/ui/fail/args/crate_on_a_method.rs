use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool(crate = ::picoflow)]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool(crate = ::picoflow)]
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {}
