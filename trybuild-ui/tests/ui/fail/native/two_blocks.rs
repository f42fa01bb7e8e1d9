use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }
}

#[tools]
impl Orders {
    /// Cancel
    #[tool]
    fn cancel(&self) -> String {
        String::new()
    }
}

fn main() {}
