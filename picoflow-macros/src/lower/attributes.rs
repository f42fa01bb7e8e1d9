//! Our attributes on the members of a block: taken off, read, judged.

use super::{docs, names, signature::method_name};
use crate::{
    args::{SetArgs, ToolArgs, ungrouped},
    block::Method,
    errors::Errors,
    model::{Definition, Exposure, Set, Tool},
};
use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

/// Removes and returns the attributes that are ours.
pub(super) fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Vec<Attribute> {
    for attr in attrs.extract_if(.., |attr| is_conditional(attr, &["tool", "tools"])) {
        errors.at(
            attr,
            "a tool attribute cannot be conditional: put `#[cfg]` on the whole method",
        );
    }
    attrs.extract_if(.., |attr| is_ours(attr)).collect()
}

/// Whether the last segment is `tool` or `tools`: the consumed marker reports it if it is another's.
fn is_ours(attr: &Attribute) -> bool {
    is_named(attr, "tool") || is_named(attr, "tools")
}

fn is_named(attr: &Attribute, name: &str) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|last| last.ident == name)
}

/// Whether this is `#[cfg_attr(…, word)]`.
fn is_conditional(attr: &Attribute, words: &[&str]) -> bool {
    let Meta::List(list) = &attr.meta else {
        return false;
    };
    let mut tokens = list.tokens.clone().into_iter();
    attr.path().is_ident("cfg_attr")
        && tokens.any(|token| matches!(token, TokenTree::Ident(ident) if words.iter().any(|word| ident == word)))
}

/// What the attributes of a method expose; `None`: nothing is left of them.
pub(super) fn exposure(
    attrs: &[Attribute],
    method: &Method,
    errors: &mut Errors,
) -> Option<Exposure> {
    let (tools, sets): (Vec<_>, Vec<_>) = attrs.iter().partition(|attr| is_named(attr, "tool"));
    if let (Some(_), Some(set)) = (tools.first(), sets.first()) {
        errors.at(
            set,
            "a method handles one call with `#[tool]`, or a whole set with `#[tools([..])]`: write two methods",
        );
        return None;
    }
    if sets.is_empty() {
        let tools: Vec<_> = tools
            .into_iter()
            .filter_map(|attr| tool(attr, method, errors))
            .collect();
        (!tools.is_empty()).then_some(Exposure::Tools(tools))
    } else {
        let sets: Vec<_> = sets
            .into_iter()
            .filter_map(|attr| set(attr, errors))
            .collect();
        (!sets.is_empty()).then_some(Exposure::Sets(sets))
    }
}

fn set(attr: &Attribute, errors: &mut Errors) -> Option<Set> {
    let SetArgs { names, span } = errors.take(SetArgs::parse(attr))?;
    Some(Set {
        names: errors.take(names::set(&names))?,
        span,
    })
}

fn tool(attr: &Attribute, method: &Method, errors: &mut Errors) -> Option<Tool> {
    let args = errors.take(ToolArgs::parse(attr))?;
    let definition = errors.take(definition(&args, method));
    let name = args
        .name
        .unwrap_or_else(|| LitStr::new(&method_name(&method.sig), method.sig.ident.span()));
    let checked = errors.take(names::check(
        &name,
        "#[tool] requires a non-empty tool name.",
    ));
    let (definition, ()) = (definition?, checked?);
    Some(Tool {
        name,
        overrides: args.overrides,
        definition,
    })
}

fn definition(args: &ToolArgs, method: &Method) -> syn::Result<Option<Definition>> {
    let Some(define) = args.define else {
        return match (&args.description, &args.schema) {
            (Some(description), _) => Err(syn::Error::new_spanned(
                description,
                "`description` is part of a definition: write `define` too",
            )),
            (None, Some(schema)) => Err(syn::Error::new_spanned(
                schema,
                "`schema` is part of a definition: write `define` too",
            )),
            (None, None) => Ok(None),
        };
    };
    let description = match &args.description {
        Some(text) if is_blank(text) => {
            return Err(syn::Error::new_spanned(text, "the description says nothing"));
        }
        Some(text) => text.to_token_stream(),
        None => docs::description(&method.attrs).ok_or_else(|| {
            syn::Error::new(
                define,
                "a definition tells the model what the tool does: write a doc comment, or `description = \"…\"`",
            )
        })?,
    };
    Ok(Some(Definition {
        description,
        schema: args.schema.clone(),
    }))
}

fn is_blank(text: &Expr) -> bool {
    matches!(ungrouped(text), Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().trim().is_empty())
}

/// The attributes that decide whether a member exists.
pub(super) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg") || is_conditional(attr, &["cfg"]);
    attrs.iter().filter(is_cfg).cloned().collect()
}

/// The attributes that set the level of a lint.
pub(super) fn lints(attrs: &[Attribute]) -> Vec<Attribute> {
    const LEVELS: [&str; 4] = ["allow", "warn", "deny", "forbid"];
    let is_lint = |attr: &&Attribute| LEVELS.iter().any(|level| attr.path().is_ident(level));
    attrs.iter().filter(is_lint).cloned().collect()
}
