use picoflow::prelude::*;

struct Orders;

impl Orders {
    /// Make
    #[tool]
    fn make() -> Self {
        Self
    }
}

fn main() {
    let _ = Orders::make();
}
