use picoflow::prelude::*;

struct Orders;

impl Orders {
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Orders.lookup();
    let _ = collect_tools(std::sync::Arc::new(Orders));
}
