//! Rules over all blocks of a step. The macro sees one block at a time, so these run in const
//! evaluation, while the crate that holds the step is compiled.
//!
//! Loops are `while` and comparisons by hand: neither iterators nor `==` on text work in const code.

mod order;
mod text;

use super::table::{Block, GroupRow, Method, ToolRow, ToolTable};
use crate::{Flow, Step};
use order::{same, same_set, sort};
use text::Text;

/// A step lists this part in `#[tools(parts(..))]`.
///
/// `PART` is a hash of the name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not list this part",
    label = "not in `parts(..)`",
    note = "name it in `#[tools(parts(..))]` of its `impl Step`, under the same bounds if it is generic"
)]
pub trait Listed<const PART: u64> {
    /// Named by the part, which compiles if the step lists it.
    const LISTED: () = ();
}

/// The block of a part, which the step asks for that lists it.
///
/// `PART` is a hash of the name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no part of this name",
    label = "no such part",
    note = "a part is a block `#[tools(part = \"..\")] impl {Self}`, under the same bounds if it is generic"
)]
pub trait Part<const PART: u64>: Sized + 'static {
    /// Its rows.
    const BLOCK: Block;

    /// Its methods.
    fn __methods() -> &'static [Method<Self>]
    where
        Self: Shared;
}

/// A type whose values answer calls from any thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared between threads",
    label = "not `Send` and `Sync`",
    note = "one value answers the calls of all sessions, at the same time if need be: keep what changes in a `Mutex` or an atomic, and write `Arc` for `Rc`"
)]
pub trait Shared: Send + Sync {}

// Without this, `Send` and `Sync` would be two errors.
#[diagnostic::do_not_recommend]
impl<T: Send + Sync> Shared for T {}

/// As many names as one step may handle.
const MOST: usize = 4096;

/// Fails to compile if two methods of the step handle the same tool or the same set.
///
/// # Panics
///
/// In const evaluation, with the names in the text.
#[track_caller]
#[expect(clippy::panic, reason = "in const evaluation this is a compile error")]
pub const fn consistent(table: &ToolTable) {
    reject_shared_tool(table.blocks);
    if let Some((first, again)) = shared_set(table.blocks) {
        let text = Text::new()
            .push("Tools '")
            .push_set(first.names)
            .push("' are already handled by method '")
            .push(first.method)
            .push("': method '")
            .push(again.method)
            .push("' cannot handle them too.");
        panic!("{}", text.as_str());
    }
}

/// [`consistent`], of a step. By its type and not by its table, which would ask again whether it can be shared.
///
/// # Panics
///
/// In const evaluation, as `consistent` does.
#[track_caller]
pub const fn step<S: Step>() {
    consistent(&S::TABLE);
}

/// The same of a flow, which moreover has nothing to override.
///
/// # Panics
///
/// In const evaluation, as `consistent` does.
#[track_caller]
pub const fn flow<F: Flow>() {
    consistent(&F::TABLE);
    reject_overrides(F::TABLE.blocks);
}

/// The macro sees no more than that a part is one, and not of what.
#[track_caller]
#[expect(clippy::panic, reason = "in const evaluation this is a compile error")]
const fn reject_overrides(blocks: &[Block]) {
    let mut at = Cursor::START;
    while let Some((row, next)) = at.tool(blocks) {
        if row.overrides {
            let text = Text::new()
                .push("Tool '")
                .push(row.tool)
                .push("' of method '")
                .push(row.method)
                .push("' is marked `overrides`, and a flow is the last base of all: leave it out.");
            panic!("{}", text.as_str());
        }
        at = next;
    }
}

/// Fails to compile if two methods of a collection handle the same tool.
///
/// # Panics
///
/// In const evaluation, with the names in the text.
#[track_caller]
pub const fn distinct(tools: &'static [ToolRow]) {
    reject_shared_tool(&[Block {
        tools,
        groups: &[],
        definitions: &[],
        hooks: &[],
        plain: &[],
        references: &[],
    }]);
}

#[track_caller]
#[expect(clippy::panic, reason = "in const evaluation this is a compile error")]
const fn reject_shared_tool(blocks: &[Block]) {
    if let Some(tool) = shared_tool(blocks) {
        let (first, again) = owners_of_tool(blocks, tool);
        let text = Text::new()
            .push("Tool '")
            .push(tool)
            .push("' is already handled by method '")
            .push(first)
            .push("': method '")
            .push(again)
            .push("' cannot handle it too.");
        panic!("{}", text.as_str());
    }
}

/// A tool name that two rows share.
///
/// Comparing all pairs would trip the lint `long_running_const_eval` from some 150 names on: sorted, equal
/// names stand side by side.
#[track_caller]
#[expect(clippy::large_stack_arrays, reason = "const evaluation has no stack to outgrow")]
const fn shared_tool(blocks: &[Block]) -> Option<&'static str> {
    let mut names = [""; MOST];
    let mut len = 0;
    let mut at = Cursor::START;
    while let Some((row, next)) = at.tool(blocks) {
        assert!(len < MOST, "a step handles at most 4096 tools");
        names[len] = row.tool;
        len += 1;
        at = next;
    }
    sort(&mut names, len);
    let mut i = 1;
    while i < len {
        if same(names[i - 1], names[i]) {
            return Some(names[i]);
        }
        i += 1;
    }
    None
}

/// The first two methods that handle `tool`.
const fn owners_of_tool(blocks: &[Block], tool: &str) -> (&'static str, &'static str) {
    let mut first = None;
    let mut at = Cursor::START;
    while let Some((row, next)) = at.tool(blocks) {
        if same(row.tool, tool) {
            match first {
                Some(first) => return (first, row.method),
                None => first = Some(row.method),
            }
        }
        at = next;
    }
    ("?", "?")
}

/// Two rows for one set. Sets are few: all pairs will do.
const fn shared_set(blocks: &[Block]) -> Option<(GroupRow, GroupRow)> {
    let mut left = Cursor::START;
    while let Some((first, next)) = left.group(blocks) {
        let mut right = next;
        while let Some((again, next)) = right.group(blocks) {
            if same_set(first.names, again.names) {
                return Some((first, again));
            }
            right = next;
        }
        left = next;
    }
    None
}

/// A place in the rows of several blocks.
#[derive(Clone, Copy)]
struct Cursor {
    block: usize,
    row: usize,
}

impl Cursor {
    const START: Self = Self { block: 0, row: 0 };

    const fn after(block: usize, row: usize) -> Self {
        Self { block, row: row + 1 }
    }

    /// The tool at this place, and the place behind it.
    const fn tool(self, blocks: &[Block]) -> Option<(ToolRow, Self)> {
        let Self { mut block, mut row } = self;
        while block < blocks.len() {
            if row < blocks[block].tools.len() {
                return Some((blocks[block].tools[row], Self::after(block, row)));
            }
            (block, row) = (block + 1, 0);
        }
        None
    }

    /// The set at this place, and the place behind it.
    const fn group(self, blocks: &[Block]) -> Option<(GroupRow, Self)> {
        let Self { mut block, mut row } = self;
        while block < blocks.len() {
            if row < blocks[block].groups.len() {
                return Some((blocks[block].groups[row], Self::after(block, row)));
            }
            (block, row) = (block + 1, 0);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn block(tools: &'static [ToolRow], groups: &'static [GroupRow]) -> Block {
        Block { tools, groups, definitions: &[], hooks: &[], plain: &[], references: &[] }
    }

    const fn tool(tool: &'static str, method: &'static str) -> ToolRow {
        ToolRow { tool, method, overrides: false }
    }

    const fn group(names: &'static [&'static str], method: &'static str) -> GroupRow {
        GroupRow { names, method }
    }

    #[test]
    fn different_names_of_one_length_are_no_duplicates() {
        const TOOLS: &[ToolRow] = &[tool("ab", "f"), tool("ba", "g")];
        assert_eq!(shared_tool(&[block(TOOLS, &[])]), None);
    }

    #[test]
    fn a_name_in_two_blocks_is_found_with_both_methods() {
        const OWN: &[ToolRow] = &[tool("a", "f"), tool("b", "g")];
        const PART: &[ToolRow] = &[tool("c", "h"), tool("a", "i")];
        let blocks = [block(OWN, &[]), block(PART, &[])];
        assert_eq!(shared_tool(&blocks), Some("a"));
        assert_eq!(owners_of_tool(&blocks, "a"), ("f", "i"));
    }

    #[test]
    fn a_set_in_two_blocks_is_found() {
        const OWN: &[GroupRow] = &[group(&["a", "b"], "f"), group(&["a"], "g")];
        const PART: &[GroupRow] = &[group(&["a", "b"], "h")];
        let methods = |blocks: &[Block]| {
            shared_set(blocks).map(|(first, again)| (first.method, again.method))
        };
        assert_eq!(methods(&[block(&[], OWN), block(&[], PART)]), Some(("f", "h")));
        assert_eq!(methods(&[block(&[], OWN)]), None);
    }

    /// Names of one length that differ at their ends: `long_running_const_eval` is an error by itself.
    #[test]
    fn a_large_table_is_checked_in_time() {
        const COUNT: usize = 256;
        const WIDTH: usize = 16;
        const LETTERS: [u8; COUNT * WIDTH] = letters();
        const TEXT: &str = match str::from_utf8(&LETTERS) {
            Ok(text) => text,
            Err(_) => "",
        };
        const ROWS: &[ToolRow] = &rows(TEXT);
        const TABLE: ToolTable = ToolTable { blocks: &[block(ROWS, &[])], parts: &[] };
        const _: () = consistent(&TABLE);

        const fn letters() -> [u8; COUNT * WIDTH] {
            let mut letters = [b'a'; COUNT * WIDTH];
            let mut i = 0;
            while i < COUNT {
                // Scrambled, for a table in order is the easy case.
                let mut rest = i * 211 % COUNT;
                let mut at = (i + 1) * WIDTH;
                while rest > 0 {
                    at -= 1;
                    letters[at] = b"abcdefgh"[rest % 8];
                    rest /= 8;
                }
                i += 1;
            }
            letters
        }

        const fn rows(mut text: &'static str) -> [ToolRow; COUNT] {
            let mut rows = [tool("", "f"); COUNT];
            let mut i = 0;
            while i < COUNT {
                (rows[i].tool, text) = text.split_at(WIDTH);
                i += 1;
            }
            rows
        }
    }
}
