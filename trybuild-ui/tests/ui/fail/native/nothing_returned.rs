use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Nothing
    #[tool]
    fn nothing(&self) {}
}

fn main() {}
