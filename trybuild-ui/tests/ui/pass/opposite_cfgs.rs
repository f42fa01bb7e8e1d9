//! Two methods of one tool under opposite conditions.
#![deny(warnings)]

use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Here
    #[cfg(unix)]
    #[tool("leave", define)]
    fn leave_here(&self, #[serde(default)] _here: u8) -> ToolResponse {
        stay()
    }

    /// There
    #[cfg(not(unix))]
    #[tool("leave", define)]
    fn leave_there(&self, #[serde(default)] _there: u8) -> ToolResponse {
        stay()
    }

    #[cfg(all(unix, not(windows)))]
    #[tools(["a", "b"])]
    fn both_here(&self) -> ToolResponse {
        stay()
    }

    #[cfg(not(unix))]
    #[tools(["b", "a"])]
    fn both_there(&self) -> ToolResponse {
        stay()
    }
}

fn main() {
    let block = &NameStep::TABLE.blocks[0];
    let definitions: Vec<_> = block
        .definitions
        .iter()
        .map(|row| row.description)
        .collect();
    assert_eq!(definitions.len(), 1);
    assert_eq!(definitions, [if cfg!(unix) { "Here" } else { "There" }]);
    assert_eq!(block.groups.len(), 1);
}
