//! A linked function is told from another by the place of its name, not of its attribute.
#![deny(warnings)]

mod one {
    use picoflow::tool;

    /// Greet
    #[tool("greet")]
    fn first() -> &'static str {
        "first"
    }
}

mod other {
    use picoflow::tool;

    /// Greet
    #[tool("greet")]
    #[allow(
        clippy::unused_unit,
        reason = "so that the attribute and the name are far apart"
    )]
    pub(super) fn second() -> &'static str {
        "second"
    }
}

fn main() {
    let error = picoflow::collect_linked_tools().expect_err("both are called `greet`");
    assert!(
        error.first.contains("::one (") && error.first.ends_with(":9)"),
        "{error}"
    );
    assert!(
        error.second.contains("::other (") && error.second.ends_with(":23)"),
        "{error}"
    );
    assert_eq!(other::second(), "second");
}
