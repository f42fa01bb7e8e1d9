use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    async fn lookup(&self) -> String {
        let id = std::rc::Rc::new(1);
        std::future::ready(()).await;
        id.to_string()
    }
}

fn main() {}
