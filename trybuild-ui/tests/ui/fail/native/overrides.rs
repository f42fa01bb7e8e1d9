use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool(overrides)]
    fn lookup(&self) -> String {
        String::new()
    }
}

/// Free
#[tool("free", overrides)]
fn free() -> String {
    String::new()
}

fn main() {}
