use picoflow::prelude::*;

#[tool]
fn bare(_name: String) -> String {
    String::new()
}

///
#[tool("blank", define)]
fn blank() -> String {
    String::new()
}

fn main() {
    // What the attributes stand on exists in spite of the errors.
    let _ = bare(blank());
}
