use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    #[tool]
    const NAME: u8 = 0;

    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {}
