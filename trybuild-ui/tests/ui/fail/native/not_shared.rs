use picoflow::prelude::*;

struct Orders(std::rc::Rc<u8>);

#[tools]
impl Orders {
    /// Look up
    #[tool]
    fn lookup(&self) -> String {
        self.0.to_string()
    }
}

fn main() {}
