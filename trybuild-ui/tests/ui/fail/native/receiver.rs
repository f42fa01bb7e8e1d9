use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Exclusive
    #[tool]
    fn exclusive(&mut self) -> String {
        String::new()
    }

    /// Owned
    #[tool]
    fn owned(self) -> String {
        String::new()
    }

    /// None
    #[tool]
    fn none() -> String {
        String::new()
    }
}

fn main() {}
