use picoflow::prelude::*;

macro_rules! lookup {
    () => {
        /// Look up
        fn lookup(&self) -> String {
            String::new()
        }
    };
}

struct Orders;

#[tools]
impl Orders {
    lookup!();
}

fn main() {}
