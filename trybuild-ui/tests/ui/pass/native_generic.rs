//! A collection may be generic, and stand under `#[cfg]`.
#![deny(warnings)]

use picoflow::prelude::*;
use std::{fmt::Display, sync::Arc};

struct Shop<T, const N: usize>([T; N]);

#[cfg(not(windows))]
#[tools]
#[cfg(unix)]
#[allow(clippy::unused_self)]
impl<T: Display + Send + Sync + 'static, const N: usize> Shop<T, N>
where
    T: Clone,
{
    /// List the shelf
    #[tool]
    fn list(&self) -> String {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// On this system
    #[cfg(unix)]
    #[tool]
    fn system(&self) -> &'static str {
        "unix"
    }

    /// On another one
    #[cfg(not(unix))]
    #[tool("system")]
    fn other_system(&self, _argument: OnlyElsewhere) -> &'static str {
        "other"
    }
}

fn main() {
    let tools = collect_tools(Arc::new(Shop([1, 2])));
    let names: Vec<_> = tools.iter().map(NativeTool::name).collect();
    assert_eq!(names, ["list", "system"]);
}
