use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Maybe
    #[tool]
    fn maybe(&self) -> Option<String> {
        None
    }
}

fn main() {}
