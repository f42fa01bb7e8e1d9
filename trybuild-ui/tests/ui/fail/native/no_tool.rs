use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Orders.lookup();
}
