use picoflow::prelude::*;

struct Wrapper<T>(T);

#[tools]
impl<T: Send + Sync + 'static> Step for Wrapper<T> {
    #[tool]
    fn generic(&self, _value: Vec<T>) -> ToolResponse {
        stay()
    }

    #[tool]
    fn own(&self, _value: Option<Self>) -> ToolResponse {
        stay()
    }
}

fn main() {}
