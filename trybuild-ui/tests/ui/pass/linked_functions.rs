//! Free functions, wherever they stand, in crates that forbid unsafe code.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]

use picoflow::prelude::*;

/// Greet someone by name
#[tool]
#[must_use]
pub fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Not this.
#[tool("a", description = "One name")]
#[picoflow::tool(name = "b", description = concat!("Another", " one"), strict)]
async fn two_names(
    cx: &ToolContext,
    /// How often
    #[serde(default)]
    times: u8,
) -> Result<Json<u8>, ToolError> {
    let _ = cx.call_id();
    std::future::ready(()).await;
    Ok(Json(times))
}

mod inner {
    use picoflow::{Args, ToolCall, tool};

    /// Deeper
    #[tool]
    pub(super) fn r#loop(Args(value): Args<picoflow::prelude::Value>, call: ToolCall) -> String {
        format!("{} {value}", call.name())
    }

    /// With a lifetime
    #[tool]
    fn borrowed<'a>(call: &'a ToolCall, _cx: &'a picoflow::ToolContext) -> String {
        call.name().to_owned()
    }
}

/// Only elsewhere
#[cfg(windows)]
#[tool]
fn before(_x: OnlyElsewhere) -> String {
    String::new()
}

/// Only elsewhere
#[tool]
#[cfg(windows)]
fn behind(_x: OnlyElsewhere) -> String {
    String::new()
}

#[cfg_attr(unix, tool("conditional", description = "On one system"))]
#[cfg_attr(not(unix), allow(dead_code))]
fn conditional() -> &'static str {
    "unix"
}

macro_rules! function {
    ($name:ident, $argument:ty, $text:expr, $body:block) => {
        #[tool(description = $text)]
        fn $name(_argument: $argument) -> String $body
    };
}

function!(generated, Option<String>, "Out of a macro", {
    String::new()
});

fn main() {
    /// Within a function
    #[tool]
    fn local() -> &'static str {
        "local"
    }

    assert_eq!(greet("Ann".to_owned()), "Hello, Ann!");
    assert_eq!(
        inner::r#loop(Args(json!(1)), ToolCall::from_text("1", "x", "{}")),
        "x 1"
    );
    let tools = collect_linked_tools().expect("names are distinct");
    let texts: Vec<_> = tools
        .iter()
        .map(|tool| (tool.name(), tool.description()))
        .collect();
    let crate_first = [
        ("a", "One name"),
        ("b", "Another one"),
        ("conditional", "On one system"),
        ("generated", "Out of a macro"),
        ("greet", "Greet someone by name"),
        ("local", "Within a function"),
        ("borrowed", "With a lifetime"),
        ("loop", "Deeper"),
    ];
    assert_eq!(texts, crate_first);
}
