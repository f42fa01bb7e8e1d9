//! Our attributes on the members of a block: taken off, read, judged.

use super::{definition, names, owner::Owner, signature::method_name};
use crate::{
    args::{SetArgs, ToolArgs},
    block::Method,
    errors::Errors,
    model::{Exposure, Set, Tool},
};
use proc_macro2::TokenTree;
use syn::{Attribute, LitStr, Meta};

/// Removes and returns the attributes that are ours.
pub(super) fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Vec<Attribute> {
    for attr in attrs.extract_if(.., |attr| is_conditional(attr, &["tool", "tools"])) {
        errors.at(attr, "a tool attribute cannot be conditional: put `#[cfg]` on the whole method");
    }
    attrs.extract_if(.., |attr| is_ours(attr)).collect()
}

/// Whether the last segment is `tool` or `tools`: the consumed marker reports it if it is another's.
fn is_ours(attr: &Attribute) -> bool {
    is_named(attr, "tool") || is_named(attr, "tools")
}

pub(super) fn is_named(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
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

/// What the attributes of a method expose; `None`: nothing is left of them. `first` is what the attribute of a free
/// function says that expands, and is none of `attrs`.
pub(super) fn exposure(
    first: Option<syn::Result<ToolArgs>>,
    attrs: &[Attribute],
    method: &Method,
    owner: Owner,
    errors: &mut Errors,
) -> Option<Exposure> {
    let (tools, sets): (Vec<_>, Vec<_>) = attrs.iter().partition(|attr| is_named(attr, "tool"));
    if owner.is_native() {
        for set in sets {
            errors.at(
                set,
                "a native tool handles one call: sets of calls are for the steps of a flow",
            );
        }
    } else if let (Some(_), Some(set)) = (tools.first(), sets.first()) {
        errors.at(
            set,
            "a method handles one call with `#[tool]`, or a whole set with `#[tools([..])]`: write two methods",
        );
        return None;
    } else if !sets.is_empty() {
        let sets: Vec<_> = sets.into_iter().filter_map(|attr| set(attr, errors)).collect();
        return (!sets.is_empty()).then_some(Exposure::Sets(sets));
    }
    let args = first.into_iter().chain(tools.into_iter().map(ToolArgs::parse));
    let tools: Vec<_> =
        args.filter_map(|args| tool(errors.take(args)?, method, owner, errors)).collect();
    (!tools.is_empty()).then_some(Exposure::Tools(tools))
}

fn set(attr: &Attribute, errors: &mut Errors) -> Option<Set> {
    let SetArgs { names, span } = errors.take(SetArgs::parse(attr))?;
    Some(Set { names: errors.take(names::set(&names))?, span })
}

fn tool(args: ToolArgs, method: &Method, owner: Owner, errors: &mut Errors) -> Option<Tool> {
    let fits = errors.take(fits(&args, owner));
    let definition = errors.take(definition::of(&args, method, owner));
    let name = args
        .name
        .unwrap_or_else(|| LitStr::new(&method_name(&method.sig), method.sig.ident.span()));
    let checked = errors.take(names::check(&name, "#[tool] requires a non-empty tool name."));
    let ((), definition, ()) = (fits?, definition?, checked?);
    Some(Tool { name, overrides: args.overrides.is_some(), definition })
}

/// Rejects keys that mean something elsewhere.
fn fits(args: &ToolArgs, owner: Owner) -> syn::Result<()> {
    let mut errors = Errors::default();
    let without_base = match owner {
        Owner::Step => None,
        Owner::Flow => Some("a flow is the last base of all"),
        Owner::Collection | Owner::Function => Some("a native tool has none"),
    };
    if let (Some(reason), Some(overrides)) = (without_base, args.overrides) {
        errors.push(syn::Error::new(
            overrides,
            format_args!("`overrides` is about the base of a step, and {reason}: leave it out"),
        ));
    }
    if let (true, Some(krate)) = (owner != Owner::Function, &args.krate) {
        errors.at(krate, "the crate is named once for the block: `#[tools(crate = …)]`");
    }
    errors.finish()
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
