use picoflow::prelude::*;

struct Orders;

#[tools(parts("billing"))]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }
}

fn main() {}
