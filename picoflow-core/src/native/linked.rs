//! Annotated free functions, wherever they are in the program.

use super::{NativeTool, ToolContext, ToolOutput, collection::definition};
use crate::{
    BoxFuture,
    tool::{CallView, table::SchemaRow},
};

/// An annotated free function.
#[doc(hidden)]
#[derive(Debug)]
pub struct LinkedTool {
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
    /// Calls the function.
    pub handler: for<'a> fn(&'a ToolContext, CallView<'a>) -> BoxFuture<'a, ToolOutput>,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// Where it is written.
    pub file: &'static str,
    /// Where it is written.
    pub line: u32,
}

inventory::collect!(LinkedTool);

impl LinkedTool {
    fn place(&self) -> String {
        format!("{} ({}:{})", self.module, self.file, self.line)
    }
}

/// Two linked functions are tools of one name.
///
/// Made by [`collect_linked_tools`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "two linked tools are called `{tool}`: one in {first}, one in {second}. Rename one of them: `#[tool(\"…\")]`"
)]
#[non_exhaustive]
pub struct LinkedToolsError {
    /// The name.
    pub tool: String,
    /// Module, file and line of one.
    pub first: String,
    /// Module, file and line of the other.
    pub second: String,
}

/// Every annotated free function that is linked into the program, ordered by module path and name.
///
/// A crate that is a dependency but that nobody names is not linked, and its functions are not here.
///
/// # Errors
/// When two functions are tools of one name.
///
/// ```
/// use picoflow_core::collect_linked_tools;
///
/// // `#[tool] fn greet(..)` of the crate `picoflow` links one; this program has none.
/// assert!(collect_linked_tools()?.is_empty());
/// # Ok::<(), picoflow_core::native::LinkedToolsError>(())
/// ```
pub fn collect_linked_tools() -> Result<Vec<NativeTool>, LinkedToolsError> {
    let mut linked: Vec<&'static LinkedTool> = inventory::iter::<LinkedTool>.into_iter().collect();
    linked.sort_by_key(|tool| (tool.module, tool.tool));
    let mut by_name = linked.clone();
    by_name.sort_by_key(|tool| (tool.tool, tool.module, tool.line));
    if let Some([first, second]) = by_name.array_windows().find(|[a, b]| a.tool == b.tool) {
        return Err(LinkedToolsError {
            tool: first.tool.to_owned(),
            first: first.place(),
            second: second.place(),
        });
    }
    let tool = |row: &'static LinkedTool| {
        let definition =
            definition(row.tool, row.description, row.schema).with(row.strict, row.lenient);
        NativeTool::with_handler(definition, Box::new(|call, cx| (row.handler)(cx, call)))
    };
    Ok(linked.into_iter().map(tool).collect())
}
