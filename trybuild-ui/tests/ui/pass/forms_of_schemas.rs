//! `strict` and `lenient` reach the rows that define a tool.
#![deny(warnings)]

use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Save
    #[tool("plain", define)]
    #[tool("strict", define, strict)]
    #[tool("lenient", lenient, define)]
    #[tool("both", define, strict, lenient, schema = picoflow::no_arguments)]
    fn save(&self, _age: Option<u8>) -> ToolResponse {
        stay()
    }
}

fn main() {
    let rows: Vec<_> = NameStep::TABLE.blocks[0]
        .definitions
        .iter()
        .map(|row| (row.tool, row.strict, row.lenient))
        .collect();
    let expected = [
        ("plain", false, false),
        ("strict", true, false),
        ("lenient", false, true),
        ("both", true, true),
    ];
    assert_eq!(rows, expected);
}
