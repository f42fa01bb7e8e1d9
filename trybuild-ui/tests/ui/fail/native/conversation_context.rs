use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Lent
    #[tool]
    fn lent(&self, _cx: &mut Cx<'_>) -> String {
        String::new()
    }

    /// Shared
    #[tool]
    fn shared(&self, _cx: &Cx<'_>) -> String {
        String::new()
    }

    /// Owned
    #[tool]
    fn owned(&self, _cx: Cx<'_>) -> String {
        String::new()
    }
}

/// Free
#[tool]
fn free(_cx: &mut Cx<'_>) -> String {
    String::new()
}

fn main() {}
