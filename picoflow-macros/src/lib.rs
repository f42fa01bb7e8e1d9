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

#[doc = include_str!("docs/tools.md")]
#[proc_macro_attribute]
pub fn tools(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tools(args.into(), &item.into()).into()
}

#[doc = include_str!("docs/tool.md")]
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(args.into(), &item.into()).into()
}
