//! Where a description may come from.
#![deny(warnings)]

use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    const ID: StepId = StepId::new("Other");

    /// First line,
    /// second line.
    #[tool(define)]
    fn lines(&self) -> ToolResponse {
        stay()
    }

    #[doc = concat!("Made of ", "pieces")]
    #[tool(define)]
    fn made(&self) -> ToolResponse {
        stay()
    }

    /// Before.
    #[doc = concat!("Within", ".")]
    /// After.
    #[tool(define)]
    fn mixed(&self) -> ToolResponse {
        stay()
    }

    /// Not this.
    #[tool(define, description = concat!("But ", "this"))]
    fn expression(&self) -> ToolResponse {
        stay()
    }

    #[tool(define, description = Self::TEXT)]
    fn constant(&self) -> ToolResponse {
        stay()
    }

    const TEXT: &'static str = "A constant";
}

fn main() {
    let block = &NameStep::TABLE.blocks[0];
    let texts: Vec<_> = block
        .definitions
        .iter()
        .map(|row| row.description)
        .collect();
    let expected = [
        "First line,\nsecond line.",
        "Made of pieces",
        "Before.\nWithin.\nAfter.",
        "But this",
        "A constant",
    ];
    assert_eq!(texts, expected);
    assert_eq!(NameStep::ID, "Other");
}
