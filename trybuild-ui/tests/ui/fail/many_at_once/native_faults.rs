use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    #[tool(define, strct)]
    fn a(&mut self, _cx: &mut Cx<'_>) -> String {
        String::new()
    }

    #[tool("b.c")]
    fn b(&self) -> String {
        String::new()
    }

    /// Good
    #[tool]
    fn c(&self) -> String {
        String::new()
    }
}

fn main() {
    // Nothing about a missing trait or method on top of the errors above.
    let _ = Orders.b() + &Orders.c();
    let _ = collect_tools(std::sync::Arc::new(Orders));
}
