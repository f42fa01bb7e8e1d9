use picoflow::prelude::*;

struct OrderError;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> Result<String, OrderError> {
        Err(OrderError)
    }
}

fn main() {}
