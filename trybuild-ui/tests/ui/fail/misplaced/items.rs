use picoflow::prelude::*;

#[tool]
const NAME: u8 = 0;

#[tool("choice")]
enum Choice {
    One,
}

#[tool]
trait Tools {
    fn leave(&self);
}

#[tool]
mod module {}

#[tool]
use std::fmt;

impl Tools for Choice {
    fn leave(&self) {}
}

impl fmt::Debug for Choice {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

fn main() {
    Choice::One.leave();
    assert_eq!(NAME, 0);
}
