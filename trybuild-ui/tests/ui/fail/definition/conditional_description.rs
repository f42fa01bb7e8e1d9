//! A part of a description that `cfg_attr` adds does not reach the model.
use picoflow::prelude::*;

struct Desk;

#[tools]
impl Step for Desk {
    /// First.
    #[cfg_attr(all(), doc = "second")]
    #[tool(define)]
    fn ping(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
