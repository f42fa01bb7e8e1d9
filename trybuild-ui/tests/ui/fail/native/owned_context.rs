use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Owned
    #[tool]
    fn owned(&self, _cx: ToolContext) -> String {
        String::new()
    }

    /// Exclusive
    #[tool]
    fn exclusive(&self, _cx: &mut ToolContext) -> String {
        String::new()
    }

    /// Twice
    #[tool]
    fn twice(&self, _a: &ToolContext, _b: &ToolContext) -> String {
        String::new()
    }
}

fn main() {}
