//! Parameters: which of them is what, and which fit together.

use super::{docs, owner::Owner};
use crate::{
    block::ungrouped,
    errors::Errors,
    model::{Field, Parameter},
};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, GenericArgument, Generics, Ident, Pat, PatType, PathArguments, PathSegment, Type,
};

/// Reads one parameter of a tool, and takes off what describes the field.
pub(super) fn read(input: &mut PatType, block: &Generics, owner: Owner) -> syn::Result<Parameter> {
    let attrs = field_attrs(input);
    if let Some(cfg) = input.attrs.iter().find(|attr| is_conditional(attr)) {
        return Err(syn::Error::new_spanned(
            cfg,
            "a parameter cannot be conditional: put `#[cfg]` on the whole method",
        ));
    }
    if let Some(known) = known(&input.ty, owner)? {
        return match attrs.first() {
            Some(attr) => Err(syn::Error::new_spanned(
                attr,
                "this describes a field, and only a named parameter is one: move it to the type of the arguments",
            )),
            None => Ok(known),
        };
    }
    Ok(Parameter::Field(Field {
        description: docs::description(&attrs)?,
        attrs,
        ident: field_name(input)?,
        ty: field_type(&input.ty, block)?,
    }))
}

fn is_conditional(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

/// Takes off what belongs to the field: its documentation, and what the derives read.
fn field_attrs(input: &mut PatType) -> Vec<Attribute> {
    let is_of_field = |attr: &mut Attribute| {
        ["doc", "serde", "schemars"].iter().any(|name| attr.path().is_ident(name))
    };
    input.attrs.extract_if(.., is_of_field).collect()
}

/// What a parameter of this type is; `None`: a field of the arguments.
pub(super) fn known(ty: &Type, owner: Owner) -> syn::Result<Option<Parameter>> {
    if let Some(advice) = of_another_owner(ty, owner) {
        return Err(syn::Error::new_spanned(ty, advice));
    }
    if let Type::Reference(reference) = ungrouped(ty) {
        return Ok(match ungrouped(&reference.elem) {
            Type::Slice(slice) if is_named(&slice.elem, "ToolCall") => Some(Parameter::Calls),
            lent if is_named(lent, "Cx") || is_named(lent, "ToolContext") => {
                Some(Parameter::Context)
            }
            lent if is_named(lent, "ToolCall") => Some(Parameter::CallRef),
            _ => None,
        });
    }
    let Some(last) = last_segment(ty) else {
        return Ok(None);
    };
    match last.ident.to_string().as_str() {
        "ToolCall" => Ok(Some(Parameter::Call)),
        "Args" => match only_type(last) {
            Some(arguments) => Ok(Some(Parameter::Arguments(arguments.clone()))),
            None => Err(syn::Error::new_spanned(
                ty,
                "`Args` names the type of the arguments: `Args<UserName>`",
            )),
        },
        "Cx" => Err(syn::Error::new_spanned(
            ty,
            "the context is lent to the tool: write `&mut Cx<'_>` or `&Cx<'_>`",
        )),
        _ => Ok(None),
    }
}

/// What to write in place of a type that tools of this owner cannot take.
fn of_another_owner(ty: &Type, owner: Owner) -> Option<&'static str> {
    let (inner, is_shared) = match ungrouped(ty) {
        Type::Reference(lent) => (ungrouped(&lent.elem), lent.mutability.is_none()),
        owned => (owned, false),
    };
    if !owner.is_native() {
        return is_named(inner, "ToolContext").then_some(
            "`ToolContext` is for native tools: a tool of a step or a flow takes `&mut Cx<'_>` or `&Cx<'_>`",
        );
    }
    if is_named(inner, "Cx") {
        return Some(
            "a native tool has no conversation: it takes `&ToolContext`, for the cancellation and the ids of the call",
        );
    }
    if is_named(inner, "ToolContext") && !is_shared {
        return Some("the context is lent to the tool: write `&ToolContext`");
    }
    matches!(inner, Type::Slice(slice) if is_named(&slice.elem, "ToolCall"))
        .then_some("a native tool handles one call: take `&ToolCall`")
}

/// Whether the last segment of a type's path is `name`, whatever module or crate it comes through.
pub(super) fn is_named(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name)
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ungrouped(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// `T` of `Args<T>`.
fn only_type(segment: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match (arguments.args.first(), arguments.args.len()) {
        (Some(GenericArgument::Type(ty)), 1) => Some(ty),
        _ => None,
    }
}

fn field_name(input: &PatType) -> syn::Result<Ident> {
    match &*input.pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            Ok(name.ident.clone())
        }
        pattern => Err(syn::Error::new_spanned(
            pattern,
            "a named parameter is a plain name, which the model reads: for a whole type write `Args(user): Args<User>`",
        )),
    }
}

fn field_type(ty: &Type, block: &Generics) -> syn::Result<Type> {
    match ungrouped(ty) {
        Type::Reference(_) => Err(syn::Error::new_spanned(
            ty,
            "a named parameter is read from the arguments and owns its value: `String` rather than `&str`",
        )),
        Type::ImplTrait(_) => Err(syn::Error::new_spanned(
            ty,
            "a tool cannot be generic, since the model calls it by name alone: write the type out",
        )),
        _ => match outer_name(ty.to_token_stream(), block) {
            Some(name) => Err(syn::Error::new_spanned(
                &name,
                format_args!(
                    "a named parameter cannot use `{name}` of the impl block: take `Args<…>` of a type that does"
                ),
            )),
            None => Ok(ty.clone()),
        },
    }
}

/// A name in `ty` that means something in the impl block only: `Self`, or a generic parameter.
fn outer_name(ty: TokenStream, block: &Generics) -> Option<Ident> {
    ty.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => outer_name(group.stream(), block),
        TokenTree::Ident(ident) => {
            let is_outer = ident == "Self"
                || block.type_params().any(|param| param.ident == ident)
                || block.const_params().any(|param| param.ident == ident);
            is_outer.then_some(ident)
        }
        _ => None,
    })
}

/// Rules for the parameters as a list.
pub(super) fn check_together(parameters: &[(Parameter, &PatType)], errors: &mut Errors) {
    let of = |is: fn(&Parameter) -> bool| {
        let matching = parameters.iter().filter(move |(parameter, _)| is(parameter));
        matching.map(|(_, input)| *input).collect::<Vec<_>>()
    };
    let contexts = of(|parameter| matches!(parameter, Parameter::Context));
    let arguments = of(|parameter| matches!(parameter, Parameter::Arguments(_)));
    let calls = of(|parameter| matches!(parameter, Parameter::Call | Parameter::CallRef));
    let lists = of(|parameter| matches!(parameter, Parameter::Calls));
    let fields = of(|parameter| matches!(parameter, Parameter::Field(_)));
    for (inputs, advice) in [
        (&contexts, "the context is lent once: leave one parameter for it"),
        (&arguments, "the arguments are one object: leave one `Args` parameter"),
        (&calls, "the call is given once: leave one `ToolCall` parameter"),
        (&lists, "the calls are given once: leave one `&[ToolCall]` parameter"),
    ] {
        for again in inputs.iter().skip(1) {
            errors.at(again, advice);
        }
    }
    if let (Some(whole), false) = (arguments.first(), fields.is_empty()) {
        errors.at(
            whole,
            "`Args` is the whole argument object, and a named parameter a field of it: take one or the other",
        );
    }
    if !lists.is_empty() {
        for beside in [arguments, calls, fields].concat() {
            errors.at(
                beside,
                "a group handler takes `&[ToolCall]` in place of this: `call.args::<T>()` reads the arguments of one call",
            );
        }
    }
}
