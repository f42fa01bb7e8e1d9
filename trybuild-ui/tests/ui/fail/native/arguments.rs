use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: String,
}

struct Orders;

#[tools]
impl Orders {
    /// Twice
    #[tool]
    fn twice(&self, _a: Args<Order>, _b: Args<Order>) -> String {
        String::new()
    }

    /// Beside
    #[tool]
    fn beside(&self, Args(order): Args<Order>, reason: String) -> String {
        order.id + &reason
    }

    /// Pattern
    #[tool]
    fn pattern(&self, Order { id }: Order) -> String {
        id
    }
}

fn main() {}
