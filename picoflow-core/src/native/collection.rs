//! Tools of a value: the annotated methods of its impl block.

use super::{NativeTool, ToolContext, ToolOutput};
use crate::{
    BoxFuture, ToolDefinition,
    tool::{CallView, check::Shared, no_arguments, table::SchemaRow},
};
use std::{fmt, sync::Arc};

/// A type whose methods are tools.
///
/// Implemented by `#[tools]` on an inherent impl block. [`collect_tools`] takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool collection",
    label = "no `#[tools]` block for this type",
    note = "put `#[tools]` on the `impl {Self}` block that holds its `#[tool]` methods"
)]
pub trait ToolCollection: Sized + 'static {
    /// [`collect_rows`]. It alone asks whether the type can be shared: so one that cannot is one error, at its block.
    #[doc(hidden)]
    const COLLECT: fn(Arc<Self>) -> Vec<NativeTool>;

    /// One row for each tool, in the order in which the block has them. The bound is for the rows, which would
    /// otherwise report one by one that the type cannot be shared.
    #[doc(hidden)]
    fn __rows() -> &'static [NativeRow<Self>]
    where
        Self: Shared;
}

/// One annotated method.
#[doc(hidden)]
pub struct NativeRow<S: 'static> {
    /// The name that the model uses.
    pub tool: &'static str,
    /// What the model reads.
    pub description: &'static str,
    /// Makes the schema of the arguments; `None`: there are none.
    pub schema: Option<SchemaRow>,
    /// Whether the model is told the strict form.
    pub strict: bool,
    /// Whether numbers may come as strings.
    pub lenient: bool,
    /// Calls the method.
    pub handler: for<'a> fn(&'a S, &'a ToolContext, CallView<'a>) -> BoxFuture<'a, ToolOutput>,
}

/// The tools of `collection`, in the order in which its block has them.
///
/// Each instance has tools of its own, which keep it alive.
///
/// ```
/// use picoflow_core::native::{ToolCollection, collect_tools};
/// use std::sync::Arc;
///
/// struct Orders;
/// # // `#[tools] impl Orders { .. }` of the crate `picoflow` writes this.
/// # impl ToolCollection for Orders {
/// #     const COLLECT: fn(Arc<Self>) -> Vec<picoflow_core::NativeTool> = picoflow_core::__private::collect_rows;
/// #     fn __rows() -> &'static [picoflow_core::__private::NativeRow<Self>] { &[] }
/// # }
///
/// let tools = collect_tools(Arc::new(Orders));
/// assert!(tools.is_empty()); // this block has no method
/// ```
pub fn collect_tools<C: ToolCollection>(collection: Arc<C>) -> Vec<NativeTool> {
    C::COLLECT(collection)
}

/// What an annotated block collects.
#[doc(hidden)]
#[expect(clippy::needless_pass_by_value, reason = "the tools share the value")]
pub fn collect_rows<C: ToolCollection + Shared>(collection: Arc<C>) -> Vec<NativeTool> {
    let tool = |row: &'static NativeRow<C>| {
        let collection = Arc::clone(&collection);
        let definition =
            definition(row.tool, row.description, row.schema).with(row.strict, row.lenient);
        let origin = format!("collection `{}`", std::any::type_name::<C>());
        NativeTool::with_handler(definition, origin, move |call, cx| {
            let collection = Arc::clone(&collection);
            Box::pin(async move { (row.handler)(&collection, cx, call).await })
        })
    };
    C::__rows().iter().map(tool).collect()
}

pub(super) fn definition(
    tool: &str,
    description: &str,
    schema: Option<SchemaRow>,
) -> ToolDefinition {
    let schema = schema.map_or_else(no_arguments, SchemaRow::schema);
    ToolDefinition::new(tool, description, schema)
}

impl<S> fmt::Debug for NativeRow<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeRow").field("tool", &self.tool).finish_non_exhaustive()
    }
}
