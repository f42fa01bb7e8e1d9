//! A program in which two functions are tools of one name: it prints what `collect_linked_tools` says of it. It is a
//! program of its own, since a name may not be linked twice into the tests.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use picoflow::prelude::*;

mod first {
    use picoflow::prelude::*;

    /// One of two
    #[tool("twin")]
    pub(crate) fn here() -> String {
        "here".to_owned()
    }
}

mod second {
    use picoflow::prelude::*;

    /// The other one
    #[tool("twin")]
    pub(crate) fn there() -> String {
        "there".to_owned()
    }
}

fn main() {
    match collect_linked_tools() {
        Ok(tools) => println!("{tools:?} of {} and {}", first::here(), second::there()),
        Err(error) => println!("{error}"),
    }
}
