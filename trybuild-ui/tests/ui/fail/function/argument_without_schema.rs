use picoflow::prelude::*;

#[derive(Deserialize)]
struct User {
    _name: String,
}

/// Greet
#[tool]
fn greet(_user: User) -> String {
    String::new()
}

fn main() {}
