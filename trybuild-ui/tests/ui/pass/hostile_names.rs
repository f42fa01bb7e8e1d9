//! What the user calls his own things is nobody's business.
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_macros)]

use ::picoflow::{ToolResponse, stay_with, tool, tools};

mod core {}
mod std {}
mod alloc {}
mod picoflow {}
mod serde {}
mod schemars {}

struct Box;
struct String;
struct Vec;
struct Option;
struct Result;
struct Some;
struct None;
struct Ok;
struct Err;
struct Method;
struct Handler;
struct Block;
struct Value;
struct NativeRow;
struct LinkedTool;
mod inventory {}
trait Into {}
trait From {}
trait Send {}
trait Sync {}
trait Default {}
trait Deserialize {}
trait JsonSchema {}

const name: u8 = 0;
const call: u8 = 0;
const cx: u8 = 0;
const step: u8 = 0;
const args: u8 = 0;
static handler: u8 = 0;
const schema: u8 = 0;
const generator: u8 = 0;
fn arguments() {}

macro_rules! module_path {
    () => {};
}
macro_rules! line {
    () => {};
}
macro_rules! concat {
    () => {};
}
macro_rules! vec {
    () => {};
}
macro_rules! stringify {
    () => {};
}

pub struct NameStep;

#[tools]
impl ::picoflow::Step for NameStep {
    /// Capture
    #[tool(define)]
    async fn save(
        &self,
        context: &mut ::picoflow::Cx<'_>,
        first: ::std::string::String,
        last: ::core::option::Option<u8>,
    ) -> ::core::result::Result<ToolResponse, ::picoflow::ToolError> {
        let _ = (context, last);
        ::core::result::Result::Ok(stay_with(first))
    }

    /// Capture raw
    #[tool(define)]
    fn save_raw(&self, raw: ::picoflow::Args<::serde_json::Value>) -> ToolResponse {
        stay_with(raw.0.to_string())
    }

    #[tools(["a", "b"])]
    fn both(&self, _calls: &[::picoflow::ToolCall]) -> ToolResponse {
        stay_with("both")
    }
}

pub struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    async fn lookup(
        &self,
        context: &::picoflow::ToolContext,
        id: ::std::string::String,
    ) -> ::core::result::Result<::std::string::String, ::picoflow::ToolError> {
        let _ = context;
        ::core::result::Result::Ok(id)
    }
}

/// Greet
#[tool]
async fn greet(first: ::std::string::String) -> ::std::string::String {
    first
}

fn main() {}
