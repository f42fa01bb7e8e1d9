//! The expansion takes nothing from the prelude.
#![no_implicit_prelude]

use ::picoflow::{Args, Cx, Step, ToolCall, ToolContext, ToolResponse, stay, tool, tools};
use ::std::{option::Option, string::String};

struct NameStep;

#[tools(parts("more"))]
impl Step for NameStep {
    /// Capture
    #[tool(define)]
    async fn save(&self, _cx: &mut Cx<'_>, _first: String, _last: Option<u8>) -> ToolResponse {
        stay()
    }

    #[tool]
    fn raw(&self, _args: Args<::serde_json::Value>, _call: ToolCall) -> ToolResponse {
        stay()
    }

    #[tools(["a", "b"])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

#[tools(part = "more")]
impl NameStep {
    #[tool(define, description = "More", schema = no_fields)]
    fn more(&self) -> ToolResponse {
        stay()
    }
}

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    async fn lookup(&self, id: String, _copies: Option<u8>) -> String {
        id
    }

    #[tool(description = "Count", schema = no_fields)]
    fn count(&self, _cx: &ToolContext, _args: Args<::serde_json::Value>) -> &'static str {
        "1"
    }
}

/// Greet
#[tool]
async fn greet(name: String, _times: Option<u8>) -> String {
    name
}

fn no_fields() -> ::serde_json::Value {
    ::serde_json::Value::Null
}

fn main() {}
