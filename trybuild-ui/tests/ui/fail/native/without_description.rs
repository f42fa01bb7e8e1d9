use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    #[tool]
    fn lookup(&self, _id: String) -> String {
        String::new()
    }

    ///
    #[tool("blank", define)]
    fn blank(&self) -> String {
        String::new()
    }

    #[tool(description = " ")]
    fn spaces(&self) -> String {
        String::new()
    }
}

fn main() {
    // The collection exists in spite of the errors.
    let _ = collect_tools(std::sync::Arc::new(Orders));
}
