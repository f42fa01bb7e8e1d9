//! What `#[tool]` says about the tool itself.

use super::{docs, owner::Owner};
use crate::{
    args::{ToolArgs, ungrouped},
    block::Method,
    model::Definition,
};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit};

/// The definition; `None`: a tool of a step is defined elsewhere.
pub(super) fn of(
    args: &ToolArgs,
    method: &Method,
    owner: Owner,
) -> syn::Result<Option<Definition>> {
    if args.define.is_none() && !owner.is_native() {
        return reject_keys(args).map(|()| None);
    }
    Ok(Some(Definition {
        description: description(args, method, owner)?,
        schema: args.schema.clone(),
        is_strict: args.strict.is_some(),
        is_lenient: args.lenient.is_some(),
    }))
}

/// Keys that mean nothing without `define`.
fn reject_keys(args: &ToolArgs) -> syn::Result<()> {
    let expressions = [
        ("description", args.description.as_ref().map(ToTokens::to_token_stream)),
        ("schema", args.schema.as_ref().map(ToTokens::to_token_stream)),
    ];
    let flags = [("strict", args.strict), ("lenient", args.lenient)];
    let advice = |key| format!("`{key}` is part of a definition: write `define` too");
    let mut faults = expressions
        .into_iter()
        .filter_map(|(key, value)| Some(syn::Error::new_spanned(value?, advice(key))))
        .chain(flags.into_iter().filter_map(|(key, at)| Some(syn::Error::new(at?, advice(key)))));
    // The advice is the same for all of them.
    faults.next().map_or(Ok(()), Err)
}

fn description(args: &ToolArgs, method: &Method, owner: Owner) -> syn::Result<TokenStream> {
    match &args.description {
        Some(text) if is_blank(text) => {
            Err(syn::Error::new_spanned(text, "the description says nothing"))
        }
        Some(text) => Ok(text.to_token_stream()),
        None => docs::description(&method.attrs)?.ok_or_else(|| {
            let what = if owner.is_native() { "native tool" } else { "definition" };
            syn::Error::new(
                args.define.or(args.at).unwrap_or_else(Span::call_site),
                format_args!(
                    "a {what} tells the model what the tool does: write a doc comment, or `description = \"…\"`"
                ),
            )
        }),
    }
}

fn is_blank(text: &Expr) -> bool {
    matches!(ungrouped(text), Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().trim().is_empty())
}
