use picoflow::prelude::*;

struct Wrapper<T>(T);

#[tools]
impl<T: Send + Sync + 'static> Step for Wrapper<T> {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "billing")]
impl<T: Send + Sync + 'static> Wrapper<T> {
    #[tool]
    fn refund(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
