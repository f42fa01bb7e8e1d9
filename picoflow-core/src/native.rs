//! Native tools: tools with a handler of their own, for code with and without a flow.

mod collection;
mod context;
mod linked;
mod output;
mod tool;

pub use collection::{NativeRow, ToolCollection, collect_rows, collect_tools};
pub use context::ToolContext;
pub use linked::{LinkedTool, LinkedToolsError, collect_linked_tools, collect_linked_tools_in};
pub(crate) use output::FAILED;
pub use output::{IntoToolOutput, ToolOutput};
pub use tool::{NativeTool, ToolSource, owned};
