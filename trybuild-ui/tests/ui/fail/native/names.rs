use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Blank
    #[tool("")]
    fn blank(&self) -> String {
        String::new()
    }

    /// Odd
    #[tool(name = "orders/place")]
    fn odd(&self) -> String {
        String::new()
    }
}

/// Long
#[tool("a_name_of_sixty_five_characters_is_one_more_than_a_provider_takes")]
fn long() -> String {
    String::new()
}

fn main() {}
