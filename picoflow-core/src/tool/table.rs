//! What `#[tools]` writes: the rows of a step's own block, without its base's.
//!
//! Two tables make the rules of overriding exact. *Tool name to method name* is read from the nearest
//! step that has a row for the tool; *method name to call* from the nearest step that has a method of
//! that name. So a method redeclared under its name overrides without an attribute, and another method
//! under the same tool name shadows.

use super::{CallView, Node, ToolCall, ToolResult};
use crate::{BoxFuture, Cx, StepId};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// A step's own rows: its `impl Step` block, then its parts in the order listed.
///
/// The methods themselves are apart ([`Step::__methods`](crate::Step::__methods)): what asks that the step can be
/// shared between threads.
#[derive(Debug)]
pub struct ToolTable {
    /// The blocks, own first.
    pub blocks: &'static [Block],
    /// The names in `parts(..)`, one for each block behind the first.
    pub parts: &'static [&'static str],
}

impl ToolTable {
    /// The table of a step without tools.
    pub const EMPTY: Self = Self { blocks: &[], parts: &[] };
}

/// The rows of one annotated impl block.
#[derive(Debug)]
pub struct Block {
    /// `#[tool]`: which method handles which tool.
    pub tools: &'static [ToolRow],
    /// `#[tools([..])]`: which method handles which exact set.
    pub groups: &'static [GroupRow],
    /// `#[tool(define)]`.
    pub definitions: &'static [DefinitionRow],
    /// The members of the trait that the block writes: a base's of the same name never runs.
    pub hooks: &'static [&'static str],
    /// The methods without an attribute of ours.
    pub plain: &'static [PlainRow],
    /// Steps that the bodies name.
    pub references: &'static [Reference],
}

/// A method that can run for a call.
pub struct Method<S: 'static> {
    /// The Rust method.
    pub name: &'static str,
    /// Calls it.
    pub handler: Handler<S>,
    /// Whether it carries no attribute: then a tool of its own name reaches it.
    pub by_name: bool,
    /// The schema of its typed arguments, if it takes any.
    pub schema: Option<SchemaRow>,
}

/// The call of a method, by what it takes.
pub enum Handler<S: 'static> {
    /// One call at a time.
    One(for<'a> fn(&'a S, &'a mut Cx<'_>, CallView<'a>) -> BoxFuture<'a, ToolResult>),
    /// All calls of a reply at once.
    Group(for<'a> fn(&'a S, &'a mut Cx<'_>, &'a [ToolCall]) -> BoxFuture<'a, ToolResult>),
}

/// A method without an attribute, which no part of the trait is.
#[derive(Clone, Copy, Debug)]
pub struct PlainRow {
    /// The method.
    pub method: &'static str,
    /// What keeps it from being a handler; `None`: it is one, with a row among the methods.
    pub fault: Option<&'static str>,
    /// Whether it has a doc comment.
    pub is_documented: bool,
    /// Whether another method of the block calls it.
    pub is_called: bool,
}

/// One `#[tool]`.
#[derive(Clone, Copy, Debug)]
pub struct ToolRow {
    /// The name that the model uses.
    pub tool: &'static str,
    /// The method that handles it.
    pub method: &'static str,
    /// Whether a base must handle the tool too.
    pub overrides: bool,
}

/// One `#[tools([..])]`.
#[derive(Clone, Copy, Debug)]
pub struct GroupRow {
    /// The names, sorted and each once.
    pub names: &'static [&'static str],
    /// The method that handles the set.
    pub method: &'static str,
}

/// One `#[tool(define)]`.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionRow {
    /// The name that the model uses.
    pub tool: &'static str,
    /// The method that is defined with it.
    pub method: &'static str,
    /// What the model reads.
    pub description: &'static str,
    /// Makes the schema of the arguments; `None`: the method's own.
    pub schema: Option<SchemaRow>,
    /// Whether the model is told the strict form.
    pub strict: bool,
    /// Whether numbers may come as strings.
    pub lenient: bool,
}

/// What makes the schema of a tool's arguments.
#[derive(Clone, Copy, Debug)]
pub enum SchemaRow {
    /// A type that is the whole argument object, or the user's own function.
    Whole(fn() -> Value),
    /// Named parameters.
    Fields(&'static [FieldRow]),
}

/// A named parameter.
#[derive(Clone, Copy, Debug)]
pub struct FieldRow {
    pub(crate) name: &'static str,
    pub(crate) description: Option<&'static str>,
    pub(crate) schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether its type can do without a value.
    pub(crate) is_optional: fn() -> bool,
}

impl FieldRow {
    /// The row of a parameter `name: T`.
    pub const fn of<T: DeserializeOwned + JsonSchema>(
        name: &'static str,
        description: Option<&'static str>,
    ) -> Self {
        Self {
            name,
            description,
            schema: SchemaGenerator::subschema_for::<T>,
            is_optional: || T::deserialize(Node::MISSING).is_ok(),
        }
    }
}

/// A step, or in `hide_tools` a tool, that a method body names.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The method whose body it is.
    pub method: &'static str,
    /// What the body says.
    pub target: Target,
    /// What the body does with it.
    pub purpose: Purpose,
}

/// What a body does with a step that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It hands it to `go` or `direct_to`.
    Go,
    /// It hands it to `run_step` or `Child::new`.
    Child,
    /// Anything else.
    Mention,
    /// It is no step: `hide_tools` hides the tool of this name.
    Hide,
}

/// How a body names a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `X::ID`: the last path segment before `::ID`.
    Type(&'static str),
    /// A string literal.
    Id(&'static str),
}

impl Target {
    /// Whether this names the step `id`, written as the type `type_name`.
    pub(crate) fn is(self, id: &StepId, type_name: &str) -> bool {
        match self {
            Self::Type(name) => name == type_name,
            Self::Id(name) => *id == name,
        }
    }
}

// By hand, since derives would ask the same of `S`.
impl<S> Clone for Handler<S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S> Copy for Handler<S> {}

impl<S> fmt::Debug for Handler<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One(_) => "One",
            Self::Group(_) => "Group",
        })
    }
}

impl<S> fmt::Debug for Method<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Method")
            .field("name", &self.name)
            .field("handler", &self.handler)
            .field("by_name", &self.by_name)
            .finish_non_exhaustive()
    }
}
