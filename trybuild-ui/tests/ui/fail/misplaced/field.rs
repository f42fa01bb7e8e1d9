use picoflow::prelude::*;

struct User {
    #[tool]
    name: String,
}

enum Choice {
    #[tool]
    One,
}

fn main() {}
