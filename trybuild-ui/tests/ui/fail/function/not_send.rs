use picoflow::prelude::*;

/// Greet
#[tool]
async fn greet() -> String {
    let name = std::rc::Rc::new(1);
    std::future::ready(()).await;
    name.to_string()
}

fn main() {}
