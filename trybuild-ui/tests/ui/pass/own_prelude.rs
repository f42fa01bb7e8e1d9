//! A module with its own `Result`, `Option`, `Future` and all the others, in scope as types, functions and traits.
#![deny(warnings)]
#![allow(dead_code, non_snake_case)]

use picoflow::{Step, ToolCall, ToolError, ToolResponse, stay, tool, tools};

type Result<T> = std::result::Result<T, ToolError>;
type Option<T> = std::vec::Vec<T>;
type Box = u8;
type String = std::string::String;
type Vec = u8;
trait Future {}
trait Into {}
trait Send {}
trait Sync {}
trait Iterator {}

fn Ok() {}
fn Err() {}
fn Some() {}
fn None() {}
fn drop() {}

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Save
    #[tool(define)]
    async fn save(&self, name: String, others: Option<u8>) -> Result<ToolResponse> {
        let _ = (name, others);
        std::result::Result::Ok(stay())
    }

    #[tools(["a", "b"])]
    async fn both(&self, _calls: &[ToolCall]) -> Result<ToolResponse> {
        std::result::Result::Ok(stay())
    }

    fn by_name(&self) -> Result<ToolResponse> {
        std::result::Result::Ok(stay())
    }
}

struct Orders;

#[tools]
impl Orders {
    /// Look up
    #[tool]
    async fn lookup(&self, id: String) -> Result<String> {
        std::result::Result::Ok(id)
    }
}

/// Greet
#[tool]
async fn greet(name: String) -> Result<String> {
    std::result::Result::Ok(name)
}

fn main() {
    let methods = NameStep::__methods(0);
    assert!(methods.iter().any(|method| method.by_name));
    assert_eq!(
        picoflow::collect_tools(std::sync::Arc::new(Orders)).len(),
        1
    );
}
