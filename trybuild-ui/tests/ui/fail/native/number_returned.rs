use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// A number
    #[tool]
    async fn number(&self) -> u64 {
        1
    }
}

fn main() {}
