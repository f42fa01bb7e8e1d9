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

/// Why linked tools cannot be collected.
///
/// ```
/// use picoflow_core::{collect_linked_tools_in, native::LinkedToolsError};
///
/// let error = collect_linked_tools_in("my_shop::orders").unwrap_err();
/// assert!(matches!(&error, LinkedToolsError::NoneIn { module, .. } if module == "my_shop::orders"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkedToolsError {
    /// Two functions are tools of one name.
    #[error(
        "two linked tools are called `{tool}`: one in {first}, one in {second}. Rename one of them, `#[tool(\"…\")]`, or collect them apart with `collect_linked_tools_in`"
    )]
    Duplicate {
        /// The name.
        tool: String,
        /// Module, file and line of one.
        first: String,
        /// Module, file and line of the other.
        second: String,
    },
    /// A module has no linked tool.
    #[error(
        "no tool is linked in module `{module}`{}. A dependency that no code names is not linked", listed(.modules)
    )]
    NoneIn {
        /// The module.
        module: String,
        /// The modules that have tools.
        modules: Vec<String>,
    },
}

fn listed(modules: &[String]) -> String {
    match modules {
        [] => ", nor in any other".to_owned(),
        modules => format!(": there are tools in {}", modules.join(", ")),
    }
}

/// Every annotated free function that is linked into the program, ordered by module path and name.
///
/// [`NativeTool::module`] says where each is from. A crate that is a dependency but that nobody names is not linked, and
/// its functions are not here.
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
    collect(|_| true)
}

/// The same for the functions of one module and the modules in it, such as `my_shop::orders`, or `module_path!()`.
/// Functions elsewhere do not count, also if two of them are tools of one name.
///
/// # Errors
/// When two functions are tools of one name, or when there is none.
///
/// See [`LinkedToolsError`] for an example.
pub fn collect_linked_tools_in(module: &str) -> Result<Vec<NativeTool>, LinkedToolsError> {
    let tools = collect(|path| {
        path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })?;
    if tools.is_empty() {
        let mut modules: Vec<_> =
            inventory::iter::<LinkedTool>.into_iter().map(|tool| tool.module.to_owned()).collect();
        modules.sort_unstable();
        modules.dedup();
        return Err(LinkedToolsError::NoneIn { module: module.to_owned(), modules });
    }
    Ok(tools)
}

fn collect(is_in: impl Fn(&str) -> bool) -> Result<Vec<NativeTool>, LinkedToolsError> {
    let linked = inventory::iter::<LinkedTool>.into_iter();
    let mut linked: Vec<&'static LinkedTool> = linked.filter(|tool| is_in(tool.module)).collect();
    linked.sort_by_key(|tool| (tool.module, tool.tool));
    let mut by_name = linked.clone();
    by_name.sort_by_key(|tool| (tool.tool, tool.module, tool.line));
    if let Some([first, second]) = by_name.array_windows().find(|[a, b]| a.tool == b.tool) {
        return Err(LinkedToolsError::Duplicate {
            tool: first.tool.to_owned(),
            first: first.place(),
            second: second.place(),
        });
    }
    let tool = |row: &'static LinkedTool| {
        let definition =
            definition(row.tool, row.description, row.schema).with(row.strict, row.lenient);
        NativeTool::with_handler(definition, row.place(), |call, cx| (row.handler)(cx, call))
            .of_module(row.module)
    };
    Ok(linked.into_iter().map(tool).collect())
}
