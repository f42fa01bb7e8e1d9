//! A tool table without the type it belongs to, and calls by place.

use super::{
    CallView, ToolCall, ToolResult,
    table::{
        Block, DefinitionRow, GroupRow, Handler, Method, PlainRow, Reference, SchemaRow, ToolRow,
        ToolTable,
    },
};
use crate::{BoxFuture, Cx};

/// The rows of a step or a flow without its type.
#[derive(Debug)]
pub struct RawTable {
    pub(crate) methods: Vec<RawMethod>,
    pub(crate) tools: Vec<ToolRow>,
    pub(crate) groups: Vec<GroupRow>,
    pub(crate) definitions: Vec<DefinitionRow>,
    pub(crate) hooks: Vec<&'static str>,
    pub(crate) plain: Vec<PlainRow>,
    pub(crate) references: Vec<Reference>,
    /// Whether `#[tools]` wrote it: then every step that the bodies name is in `references`.
    pub(crate) is_annotated: bool,
}

/// A method without its receiver's type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawMethod {
    pub(crate) name: &'static str,
    pub(crate) handler: HandlerKind,
    pub(crate) by_name: bool,
    pub(crate) schema: Option<SchemaRow>,
    pub(crate) at: RowIndex,
}

/// What a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandlerKind {
    One,
    Group,
}

/// The place of a method in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowIndex {
    block: usize,
    method: usize,
}

impl RawTable {
    /// `methods` gives those of a block.
    pub(crate) fn of<T>(table: &ToolTable, methods: Methods<T>) -> Self {
        let blocks = table.blocks;
        let plain = rows(blocks, |block| block.plain);
        let is_unfit = |method: &RawMethod| {
            plain.iter().any(|row| row.method == method.name && row.fault.is_some())
        };
        let methods = (0..blocks.len()).flat_map(|block| {
            let rows = methods(block).iter().enumerate();
            rows.map(move |(method, row)| RawMethod {
                name: row.name,
                handler: match row.handler {
                    Handler::One(_) => HandlerKind::One,
                    Handler::Group(_) => HandlerKind::Group,
                },
                by_name: row.by_name,
                schema: row.schema,
                at: RowIndex { block, method },
            })
        });
        Self {
            methods: methods.filter(|method| !is_unfit(method)).collect(),
            tools: rows(blocks, |block| block.tools),
            groups: rows(blocks, |block| block.groups),
            definitions: rows(blocks, |block| block.definitions),
            hooks: rows(blocks, |block| block.hooks),
            plain,
            references: rows(blocks, |block| block.references),
            is_annotated: !blocks.is_empty(),
        }
    }

    pub(crate) fn method(&self, name: &str) -> Option<&RawMethod> {
        self.methods.iter().find(|method| method.name == name)
    }

    /// The method that a tool of this name reaches without an attribute.
    pub(crate) fn by_name(&self, tool: &str) -> Option<&RawMethod> {
        self.methods.iter().find(|method| method.by_name && method.name == tool)
    }

    pub(crate) fn row(&self, tool: &str) -> Option<&ToolRow> {
        self.tools.iter().find(|row| row.tool == tool)
    }

    /// What keeps the method of this name from being a handler.
    pub(crate) fn unfit(&self, method: &str) -> Option<&'static str> {
        self.plain.iter().find(|row| row.method == method)?.fault
    }
}

fn rows<R: Copy + 'static>(blocks: &[Block], of: impl Fn(&Block) -> &'static [R]) -> Vec<R> {
    blocks.iter().flat_map(of).copied().collect()
}

/// The methods of a type, block by block.
pub(crate) type Methods<T> = fn(usize) -> &'static [Method<T>];

impl RowIndex {
    /// Calls the method at this place; `None` if there is none that takes one call.
    pub(crate) fn call<'a, T>(
        self,
        methods: Methods<T>,
        receiver: &'a T,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        match methods(self.block).get(self.method)?.handler {
            Handler::One(handler) => Some(handler(receiver, cx, call)),
            Handler::Group(_) => None,
        }
    }

    /// Calls the method at this place; `None` if there is none that takes a group.
    pub(crate) fn call_group<'a, T>(
        self,
        methods: Methods<T>,
        receiver: &'a T,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>> {
        match methods(self.block).get(self.method)?.handler {
            Handler::Group(handler) => Some(handler(receiver, cx, calls)),
            Handler::One(_) => None,
        }
    }
}
