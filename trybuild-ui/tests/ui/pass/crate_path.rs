//! `crate = …` names the facade wherever it is.
#![deny(warnings)]

mod facade {
    pub use picoflow::__private;
}

use picoflow::prelude::*;

struct Direct;

#[tools(crate = crate::facade, parts("more"))]
impl Step for Direct {
    /// Capture
    #[tool(define)]
    fn save(&self, name: String) -> ToolResponse {
        stay_with(name)
    }
}

#[tools(crate = facade, part = "more")]
impl Direct {
    #[tool]
    fn more(&self) -> ToolResponse {
        stay()
    }
}

macro_rules! step {
    ($name:ident) => {
        struct $name;

        #[tools(crate = $crate::facade)]
        impl Step for $name {
            /// Capture
            #[tool(define)]
            fn save(&self, name: String) -> ToolResponse {
                stay_with(name)
            }
        }
    };
}

step!(Generated);

fn main() {
    assert_eq!(Direct::ID, "Direct");
    assert_eq!(Generated::ID, "Generated");
}
