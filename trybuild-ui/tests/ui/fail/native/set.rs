use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    #[tools(["a", "b"])]
    fn both(&self, _call: ToolCall) -> String {
        String::new()
    }

    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {}
