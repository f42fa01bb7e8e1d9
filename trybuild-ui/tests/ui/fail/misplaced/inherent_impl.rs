use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    #[tool]
    fn lookup(&self) -> ToolResponse {
        stay()
    }
}

fn main() {
    let _ = Orders.lookup();
}
