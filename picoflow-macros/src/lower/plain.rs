//! Methods without an attribute: handlers of their own names, helpers, and those that only their types tell apart.

use super::{owner::Owner, parameters, signature};
use crate::{
    block::{Member, Syntax, ungrouped},
    model::{Parameter, Plain, Shape},
};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::{
    FnArg, GenericArgument, Generics, PatType, PathArguments, ReturnType, Safety, Signature, Type,
};

/// What a signature makes of a method.
pub(super) enum Form {
    /// It returns a transition and takes nothing but the context and the call: a handler.
    Handler(Shape),
    /// A handler if the types of its parameters, and the one that it returns, are those of one.
    ByTypes(Shape, Box<Type>),
    /// No handler, and why.
    Helper(String),
}

pub(super) fn form(sig: &Signature, block: &Generics) -> Form {
    if let Some(shape) = signature::of_handler(sig) {
        return Form::Handler(shape);
    }
    match by_types(sig, block) {
        Ok((shape, output)) => Form::ByTypes(shape, Box::new(output)),
        Err(fault) => Form::Helper(fault),
    }
}

fn by_types(sig: &Signature, block: &Generics) -> Result<(Shape, Type), String> {
    if !signature::takes_shared_self(sig) {
        return Err("it does not take `&self`".to_owned());
    }
    if sig.generics.type_params().next().is_some()
        || sig.generics.const_params().next().is_some()
        || sig.generics.where_clause.is_some()
    {
        return Err("it is generic".to_owned());
    }
    if matches!(sig.safety, Safety::Unsafe(_)) || sig.abi.is_some() {
        return Err("it is `unsafe` or `extern`".to_owned());
    }
    let output = match &sig.output {
        ReturnType::Type(_, ty) if may_answer(ty) => (**ty).clone(),
        _ => return Err(NO_ANSWER.to_owned()),
    };
    let mut read = Vec::new();
    for input in &sig.inputs {
        if let FnArg::Typed(input) = input {
            read.push((parameter(input, block)?, input));
        }
    }
    let mut errors = crate::errors::Errors::default();
    parameters::check_together(&read, &mut errors);
    errors.finish().map_err(|_| "its parameters do not go together".to_owned())?;
    let parameters = read.into_iter().map(|(parameter, _)| parameter).collect();
    Ok((signature::shape(sig, parameters), output))
}

/// Why a method that returns something else is no handler.
pub(crate) const NO_ANSWER: &str = "it does not return `ToolResponse`, `Json<T>` or a `Result` of those with an error that converts into `ToolError`";

/// Why a method with this parameter is no handler.
pub(crate) fn no_field(name: &str) -> String {
    format!("its parameter `{name}` cannot be read from the arguments of a call")
}

/// What a parameter is. Nothing is taken off it: the method stays as it is.
fn parameter(input: &PatType, block: &Generics) -> Result<Parameter, String> {
    let fault = || no_field(&input.pat.to_token_stream().to_string());
    if has_lifetime(&input.ty) && !matches!(ungrouped(&input.ty), Type::Reference(_)) {
        return Err(fault());
    }
    let is_lint = |attr: &syn::Attribute| {
        ["allow", "expect", "warn", "deny"].iter().any(|name| attr.path().is_ident(name))
    };
    if !input.attrs.iter().all(is_lint) {
        return Err(fault());
    }
    let parameter = parameters::read(&mut input.clone(), block, Owner::Step);
    parameter.map_err(|_| fault())
}

/// Whether a handler might return this: anything but what has a name that is known for something else.
fn may_answer(ty: &Type) -> bool {
    let Type::Path(path) = ungrouped(ty) else {
        return false;
    };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    if last.ident == "Result"
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(answer)) = arguments.args.first()
    {
        return may_answer(answer) && !has_lifetime(ty);
    }
    !has_lifetime(ty) && !OTHERS.iter().any(|name| last.ident == name)
}

/// What helpers usually return.
const OTHERS: &[&str] = &[
    "Self",
    "bool",
    "char",
    "str",
    "String",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Option",
    "Vec",
    "Box",
    "Arc",
    "Rc",
    "Cow",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "Duration",
    "Value",
    "Prompt",
    "StepId",
    "StepResponse",
    "HookResult",
];

/// Whether the type borrows for less than `'static`.
fn has_lifetime(ty: &Type) -> bool {
    borrows(ty.to_token_stream())
}

fn borrows(tokens: TokenStream) -> bool {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let is = |index: usize, wanted: char| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    tokens.iter().enumerate().any(|(index, token)| match token {
        TokenTree::Group(group) => borrows(group.stream()),
        _ if is(index, '&') => !is(index + 1, '\''),
        _ if is(index, '\'') => {
            !matches!(tokens.get(index + 1), Some(TokenTree::Ident(name)) if name == "static")
        }
        _ => false,
    })
}

/// Notes which of the documented methods another method of the block calls.
pub(super) fn mark_called(plain: &mut [Plain], members: &[Member]) {
    if !plain.iter().any(|method| method.is_documented) {
        return;
    }
    for member in members {
        let Syntax::Method(method) = &member.syntax else {
            continue;
        };
        let caller = signature::method_name(&method.sig);
        let mut names = HashSet::new();
        called(method.body.stream(), &mut names);
        for method in plain.iter_mut().filter(|method| method.name != caller) {
            method.is_called |= names.contains(&method.name);
        }
    }
}

/// The names behind a `::`, and those behind a `.` that are called.
fn called(tokens: TokenStream, names: &mut HashSet<String>) {
    let is = |token: Option<&TokenTree>, wanted: char| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let before = |places: usize| index.checked_sub(places).and_then(|index| tokens.get(index));
        match token {
            TokenTree::Ident(ident) => {
                let is_called = match tokens.get(index + 1) {
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                    // Types of its own: `.helper::<u8>()`.
                    next => is(next, ':'),
                };
                let is_of_path = is(before(1), ':') && is(before(2), ':');
                if is_of_path || is_called && is(before(1), '.') {
                    names.insert(syn::ext::IdentExt::unraw(ident).to_string());
                }
            }
            TokenTree::Group(group) => called(group.stream(), names),
            _ => {}
        }
    }
}
