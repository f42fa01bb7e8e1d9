//! What the block is: a step, a part of one, or nothing that `#[tools]` can read.

use crate::{
    args::BlockArgs,
    block::{ImplBlock, Member, Syntax},
    errors::Errors,
    kind::Kind,
    model::Role,
};
use syn::{ImplItem, LitStr, ext::IdentExt};

/// Where `#[tools]` has a meaning.
pub(crate) const BELONGS: &str =
    "`#[tools]` belongs on `impl Step`, `impl LogicStep`, `impl Flow` or an inherent impl";

/// `args` is `None` when they had an error.
pub(super) fn of(args: Option<BlockArgs>, block: &ImplBlock, errors: &mut Errors) -> Role {
    let is_unread = args.is_none();
    let BlockArgs { part, parts, .. } = args.unwrap_or_default();
    let trait_name = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let kind = trait_name.and_then(|name| Kind::of(&name.ident));
    match (trait_name, kind, part) {
        (_, Some(kind), part) => {
            if let Some(part) = part {
                errors.at(
                    part,
                    "a part is a block beside this one: `#[tools(part = \"…\")] impl NameStep`",
                );
            }
            Role::Whole {
                kind,
                id: id(block, kind, errors),
                parts: listed(parts.unwrap_or_default(), kind, errors),
            }
        }
        (Some(name), None, _) => {
            errors.at(name, format_args!("{BELONGS}, not on an impl of another trait"));
            Role::Misplaced
        }
        (None, _, Some(name)) => {
            if let Some(list) = parts.iter().flatten().next() {
                errors.at(list, "a part lists no parts: that is up to the `impl Step` block");
            }
            errors.take(part_name(name)).map_or(Role::Misplaced, Role::Part)
        }
        (None, _, None) => match parts.iter().flatten().next() {
            Some(list) => {
                errors.at(
                    list,
                    "the `impl Step` block lists the parts, and a part says `part = \"…\"`; a collection of native tools has none",
                );
                Role::Misplaced
            }
            None if is_unread => Role::Misplaced,
            None => Role::Collection,
        },
    }
}

/// What it is called, unless the user said so.
fn id(block: &ImplBlock, kind: Kind, errors: &mut Errors) -> Option<String> {
    let is_id = |item: &ImplItem| matches!(item, ImplItem::Const(item) if item.ident == "ID");
    let is_own = |member: &Member| matches!(&member.syntax, Syntax::Other(item) if is_id(item));
    if block.members.iter().any(is_own) {
        return None;
    }
    let name = block.type_name().map(|name| name.unraw().to_string());
    if name.is_none() {
        errors.at(
            &block.self_ty,
            format_args!(
                "the `ID` is the name of the type, and this one has none: write `const ID: {id} = {id}::new(\"…\")`",
                id = kind.id_type()
            ),
        );
    }
    name
}

fn listed(names: Vec<LitStr>, kind: Kind, errors: &mut Errors) -> Vec<LitStr> {
    if let (Kind::LogicStep, Some(name)) = (kind, names.first()) {
        errors.at(name, "a logic step calls no model: it has no tools, and no parts");
        return Vec::new();
    }
    let mut parts = Vec::new();
    for name in names {
        if parts.contains(&name) {
            errors.at(&name, format_args!("part '{}' is listed twice", name.value()));
            continue;
        }
        parts.extend(errors.take(part_name(name)));
    }
    parts
}

/// A name like that of a method, so that it is told apart at sight.
fn part_name(name: LitStr) -> syn::Result<LitStr> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.value().is_empty() || !name.value().chars().all(is_name) {
        return Err(syn::Error::new_spanned(
            name,
            "the name of a part is made of letters, digits and `_` of ASCII",
        ));
    }
    Ok(name)
}
