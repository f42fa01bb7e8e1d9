use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }

    /// Find
    #[tool("lookup")]
    fn find(&self) -> String {
        String::new()
    }
}

/// Free
#[tool]
#[tool("free")]
fn free() -> String {
    String::new()
}

fn main() {}
