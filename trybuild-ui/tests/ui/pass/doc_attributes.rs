//! Doc attributes in every form, of steps and of native tools.
#![deny(warnings)]

use picoflow::prelude::*;
use std::sync::Arc;

struct Orders;

#[tools]
impl Orders {
    /** A block of
    several lines */
    #[tool]
    fn block(&self) -> &'static str {
        ""
    }

    #[doc = "An attribute"]
    #[tool]
    fn attribute(&self) -> &'static str {
        ""
    }

    #[doc(alias = "no text")]
    /// Beside an alias
    #[tool]
    #[doc(hidden)]
    fn alias(&self) -> &'static str {
        ""
    }

    #[tool]
    /// Behind the attribute
    fn behind(&self) -> &'static str {
        ""
    }

    #[doc = include_str!("../text.md")]
    #[tool]
    fn file(&self) -> &'static str {
        ""
    }

    /// "Quoted", with {braces} and \ a backslash
    #[tool]
    fn signs(&self) -> &'static str {
        ""
    }
}

macro_rules! generated {
    ($(#[$attr:meta])* $name:ident) => {
        $(#[$attr])*
        #[tool]
        fn $name() -> &'static str {
            ""
        }
    };
}

generated! {
    /// Through a macro,
    ///
    /// in two paragraphs
    through
}

fn main() {
    let tools = collect_tools(Arc::new(Orders));
    let texts: Vec<_> = tools.iter().map(NativeTool::description).collect();
    let expected = [
        "A block of\nseveral lines",
        "An attribute",
        "Beside an alias",
        "Behind the attribute",
        "Out of a file.",
        "\"Quoted\", with {braces} and \\ a backslash",
    ];
    assert_eq!(texts, expected);
    let linked = collect_linked_tools().expect("names are distinct");
    assert_eq!(
        linked[0].description(),
        "Through a macro,\n\nin two paragraphs"
    );
}
