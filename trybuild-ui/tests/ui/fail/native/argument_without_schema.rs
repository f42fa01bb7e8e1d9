use picoflow::prelude::*;

#[derive(Deserialize)]
struct Order {
    _id: String,
}

struct Orders;

#[tools]
impl Orders {
    /// Place
    #[tool]
    fn place(&self, _order: Args<Order>) -> String {
        String::new()
    }
}

fn main() {}
