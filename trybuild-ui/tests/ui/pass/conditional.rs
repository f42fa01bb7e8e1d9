//! `#[cfg]` on a method takes its row, its name, its references and its duplicate check with it.
#![deny(warnings)]

use picoflow::prelude::*;

struct NameStep;

#[tools]
#[cfg(not(windows))]
#[allow(clippy::unused_self)]
impl Step for NameStep {
    #[cfg(unix)]
    #[tool]
    fn leave(&self) -> ToolResponse {
        go("UnixStep")
    }

    #[cfg(not(unix))]
    #[tool("leave")]
    fn leave_otherwise(&self, reason: OnlyElsewhere) -> ToolResponse {
        go(Elsewhere::ID)
    }

    #[cfg_attr(unix, cfg(not(unix)))]
    #[tools(["a", "b"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {
    let block = &NameStep::TABLE.blocks[0];
    assert_eq!(NameStep::__methods(0).len(), 1);
    assert_eq!(block.tools.len(), 1);
    assert_eq!(block.groups.len(), 0);
    assert_eq!(block.references.len(), 1);
}
