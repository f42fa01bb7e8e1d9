use picoflow::prelude::*;

struct NameStep;

#[tools]
#[tools]
impl Step for NameStep {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

struct Orders;

#[tools]
#[tools(crate = ::picoflow)]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {}
