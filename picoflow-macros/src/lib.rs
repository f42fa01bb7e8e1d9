//! The attribute macros of picoflow: [`tools`](macro@tools) on the impl block of a step, and
//! [`tool`](macro@tool) on its methods. Use them through the crate `picoflow`, whose documentation shows them
//! at work; this crate and that one are one product in two halves.
//!
//! Entry points only: every macro parses, lowers, checks and expands in the modules below, on plain
//! token streams, and is tested there.

mod args;
mod block;
mod check;
mod errors;
mod expand;
mod kind;
mod krate;
mod lower;
mod misplaced;
mod model;
mod references;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes a step of an `impl Step` block: its methods become tools. The same for the tools of a whole flow, on
/// `impl Flow`; for the `ID` of an `impl LogicStep`, which has no tools; and for native tools, on an inherent impl.
///
/// ```text
/// #[tools]
/// impl Step for NameStep {
///     fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
///         "Ask for the name, then call `user_name`.".into()
///     }
///
///     /// Capture name of user
///     #[tool(define)]
///     async fn user_name(&self, cx: &mut Cx<'_>, Args(user): Args<UserName>) -> ToolResponse {
///         cx.save_state(json!({ "name": user.name }));
///         go(ReviewStep::ID)
///     }
/// }
/// ```
///
/// The hooks of the trait stay in the block. Every other member moves to an inherent impl beside it,
/// with its visibility, so that it may be called, tested and reused like any method. The macro adds
/// `const ID`, the name of the type, unless the block has one, and a hidden table of the tools.
///
/// # On the block
///
/// | written | means |
/// | --- | --- |
/// | `#[tools] impl Step for X` | the step |
/// | `#[tools] impl Flow for X` | the flow; its tools are offered in every step, behind the step's own |
/// | `#[tools] impl LogicStep for X` | a step that calls no model |
/// | `#[tools(parts("billing", "returns"))] impl Step for X` | the step, with the tools of two more blocks, in this order; so with a flow |
/// | `#[tools(part = "billing")] impl X` | one of those blocks, in whichever module |
/// | `#[tools] impl X` | a collection of native tools, for `collect_tools` |
/// | `crate = path` | where the crate `picoflow` is, if it is not `::picoflow` |
///
/// # On a method of the block
///
/// | written | means |
/// | --- | --- |
/// | `#[tool]` | see [`tool`](macro@tool) |
/// | `#[tools(["a", "b"])]` | handles a reply that calls exactly the tools `a` and `b`, each any number of times; offers neither |
/// | nothing, but the form of a handler | handles a tool of its own name that is offered without `#[tool]`, and overrides a base step's method of its name |
/// | nothing, and another form | a helper, which no call reaches |
///
/// A method has the form of a handler when it returns `ToolResponse` or `Result<ToolResponse, _>` and takes `&self`
/// and nothing but the context, `Args<_>`, and the call or the calls.
///
/// # Native tools
///
/// An inherent impl block without `part` is a collection: its `#[tool]` methods are tools that need no flow. They stay
/// in the block, and methods without `#[tool]` are nothing to it.
///
/// ```text
/// #[tools]
/// impl Orders {
///     /// Fetch an order by id
///     #[tool]
///     async fn lookup_order(&self, id: String) -> Result<Json<Order>, OrderError> { … }
///
///     #[tool("cancel_order", description = "Cancel an order")]
///     async fn cancel(&self, cx: &ToolContext, id: String, reason: String) -> String { … }
/// }
///
/// let tools: Vec<NativeTool> = collect_tools(Arc::new(orders));
/// ```
///
/// Such a tool is always defined where it stands, so it must have a description, and `define` is optional. It takes
/// `cx: &ToolContext` in place of the conversation's context, and answers a text, `Json<T>`, a `ToolOutput`, or a `Result` of
/// those. There is one collection for a type.
///
/// # Parameters
///
/// After `&self`, in any order, all optional:
///
/// | parameter | is |
/// | --- | --- |
/// | `cx: &mut Cx<'_>`, `cx: &Cx<'_>` | the context: state, memory, children; not of native tools |
/// | `cx: &ToolContext` | of native tools alone: the cancellation, the ids of the call and of the session |
/// | `Args(user): Args<T>` | the arguments as `T: DeserializeOwned + JsonSchema` |
/// | `name: T` | one field of the arguments; its doc comment, `#[serde(..)]` and `#[schemars(..)]` go to the field, and `Option<T>` is not required |
/// | `call: ToolCall`, `call: &ToolCall` | the call with its id, its name and its arguments as text |
/// | `calls: &[ToolCall]` | all calls of the reply: of `#[tools([..])]` alone, in place of arguments |
///
/// The types are known by the last segment of their path. Methods may be `async` or not. They cannot take
/// `&mut self`: a step is shared by all sessions, and what belongs to one is kept in `cx`.
///
/// # What it rejects
///
/// All faults of a block are reported in one build, each at its place: a tool or a set that two methods handle
/// (also over parts and under `#[cfg]`), names that no provider takes, unknown keys, a method that is
/// almost called like a hook (`on_entr`), parts that are missing or not listed, a macro call that may hide methods.
/// `#[cfg]` on a method takes its tools with it; `#[cfg_attr(.., tool)]` is an error, for the macro cannot know
/// whether the tool exists.
#[proc_macro_attribute]
pub fn tools(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools(args.into(), &item.into()).into()
}

/// Offers a method of a [`#[tools]`](macro@tools) block to the model, as a tool that the method handles; and makes a native
/// tool of a free function.
///
/// | written | means |
/// | --- | --- |
/// | `#[tool]` | the tool is called like the method |
/// | `#[tool("alias")]`, `#[tool(name = "alias")]` | the tool is called `alias`; several attributes are several tools |
/// | `define` | the tool is defined here too: described by the doc comment, its schema made of the parameters |
/// | `description = expr` | with `define`: the description, any expression of type `&'static str` |
/// | `schema = path` | with `define`: a function that returns the schema, a `serde_json::Value` or a `schemars::Schema` |
/// | `strict` | with `define`: the model is told the strict form: every property required, optional ones nullable, objects closed |
/// | `lenient` | with `define`: numbers may come as strings |
/// | `overrides` | a base step must handle the tool; the engine is not built if none does |
/// | `crate = path` | on a free function: where the crate `picoflow` is, if it is not `::picoflow` |
///
/// ```text
/// /// Leave the conversation
/// #[tool("leave", define)]
/// #[tool("stop", define, description = STOP, overrides)]
/// fn end_chat(&self, reason: Option<String>) -> ToolResponse { … }
/// ```
///
/// A name has 1 to 64 characters out of `[A-Za-z0-9_-]`, which is what every provider takes.
///
/// `#[tools]` reads and removes this attribute: on a method it never expands by itself, unless it is misplaced, and
/// then it says so.
///
/// # On a free function
///
/// ```text
/// /// Greet someone by name
/// #[tool]
/// fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// let tools: Vec<NativeTool> = collect_linked_tools()?;
/// ```
///
/// The function stays what it is, sync or async, of any visibility, in any module or function. Beside it stands a
/// registration, by which `collect_linked_tools` finds every such function that is linked into the program. As
/// with the native tools of a [collection](macro@tools#native-tools), it must have a description, `define` is optional, and the same
/// parameters and answers are possible. It cannot be generic, `unsafe`, `extern` or `const`.
///
/// * The registration is code that runs before `main`, which is unsafe in itself. It is written by the crate
///   `inventory`, and compiles under `#![forbid(unsafe_code)]`.
/// * A crate that is a dependency but that nothing names is not linked, and its functions are not found.
/// * An associated function without a receiver cannot be told from a free one, unless it has `Self` in its signature. In
///   an impl or a trait, the compiler rejects the registration: `` `const` items in this context need a name ``. Move the
///   function out, or give it `&self` and the block `#[tools]`.
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(args.into(), &item.into()).into()
}
