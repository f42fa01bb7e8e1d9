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
    let picoflow::native::LinkedToolsError::Duplicate { first, second, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        first.contains("::one (") && first.ends_with(":9)"),
        "{error}"
    );
    assert!(
        second.contains("::other (") && second.ends_with(":23)"),
        "{error}"
    );
    assert_eq!(other::second(), "second");
}
