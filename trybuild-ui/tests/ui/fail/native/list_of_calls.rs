use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self, _calls: &[ToolCall]) -> String {
        String::new()
    }
}

fn main() {}
