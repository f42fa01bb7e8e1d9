//! A program in which two functions are tools of one name: it prints what collecting linked tools says of it. It is a
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
    for module in [concat!(module_path!(), "::second"), "linked_twice::sec"] {
        match collect_linked_tools_in(module) {
            Ok(tools) => {
                let found = tools.iter().map(|tool| (tool.name(), tool.module()));
                println!("{module}: {:?}", found.collect::<Vec<_>>());
            }
            Err(error) => println!("{error}"),
        }
    }
}
