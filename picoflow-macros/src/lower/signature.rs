//! Signatures: what a method takes and answers, and whether the model can call it.

use super::{
    owner::Owner,
    parameters::{self, is_named, known},
};
use crate::{
    block::ungrouped,
    errors::Errors,
    model::{Parameter, Shape},
};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, PathArguments, ReceiverKind, ReturnType,
    Safety, Signature, Type, ext::IdentExt, spanned::Spanned,
};

/// Reads the signature of a method or function that carries one of our attributes. Takes the attributes of
/// named parameters off, which mean something on the field alone.
pub(super) fn of_tool(sig: &mut Signature, block: &Generics, owner: Owner) -> syn::Result<Shape> {
    let mut errors = Errors::default();
    check_receiver(sig, owner, &mut errors);
    check_qualifiers(sig, owner, &mut errors);
    let mut read = Vec::new();
    for input in &mut sig.inputs {
        if let FnArg::Typed(input) = input {
            let parameter = errors.take(parameters::read(input, block, owner));
            read.extend(parameter.map(|parameter| (parameter, &*input)));
        }
    }
    parameters::check_together(&read, &mut errors);
    let parameters = read.into_iter().map(|(parameter, _)| parameter).collect();
    errors.finish()?;
    Ok(shape(sig, parameters))
}

/// Reads the signature of a method without attributes; `None`: it is a helper.
pub(super) fn of_handler(sig: &Signature) -> Option<Shape> {
    let mut errors = Errors::default();
    check_receiver(sig, Owner::Step, &mut errors);
    check_qualifiers(sig, Owner::Step, &mut errors);
    let mut read = Vec::new();
    for input in &sig.inputs {
        if let FnArg::Typed(input) = input {
            read.push((known(&input.ty, Owner::Step).ok().flatten()?, input));
        }
    }
    parameters::check_together(&read, &mut errors);
    errors.finish().ok()?;
    let parameters = read.into_iter().map(|(parameter, _)| parameter).collect();
    let answers = matches!(&sig.output, ReturnType::Type(_, ty) if is_response(ty));
    answers.then(|| shape(sig, parameters))
}

pub(super) fn shape(sig: &Signature, parameters: Vec<Parameter>) -> Shape {
    Shape {
        is_async: sig.asyncness.is_some(),
        parameters,
        output_span: match &sig.output {
            ReturnType::Default => sig.ident.span(),
            ReturnType::Type(_, ty) => ty.span(),
        },
    }
}

/// Whether the receiver is `&self`, in whichever spelling.
pub(super) fn takes_shared_self(sig: &Signature) -> bool {
    let Some(receiver) = sig.receiver() else {
        return false;
    };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => true,
        ReceiverKind::Typed(_, ty) => {
            matches!(&**ty, Type::Reference(reference) if reference.mutability.is_none() && is_self(&reference.elem))
        }
        _ => false,
    }
}

fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

fn check_receiver(sig: &Signature, owner: Owner, errors: &mut Errors) {
    let advice = match owner {
        _ if takes_shared_self(sig) => return,
        Owner::Step | Owner::Flow => "steps are shared by all sessions, and state belongs in `cx`",
        Owner::Collection => "the collection is shared by all calls",
        Owner::Function => return,
    };
    match (sig.receiver(), owner) {
        (Some(receiver), _) => errors.at(receiver, format_args!("a tool takes `&self`: {advice}")),
        (None, Owner::Collection) => errors.at(
            &sig.ident,
            "a tool of a collection takes `&self` first: one that needs none is a free function with `#[tool]`",
        ),
        (None, _) => errors.at(
            &sig.ident,
            format_args!("a tool takes `&self` first: {advice}"),
        ),
    }
}

fn check_qualifiers(sig: &Signature, owner: Owner, errors: &mut Errors) {
    let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    if !sig.generics.params.iter().all(is_lifetime) {
        errors.at(
            &sig.generics,
            "a tool cannot be generic, since the model calls it by name alone: write the type out",
        );
    }
    if let Safety::Unsafe(unsafety) = &sig.safety {
        errors.at(unsafety, "a tool cannot be unsafe: the model calls it with any arguments");
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "a tool cannot be `extern`: Rust calls it, when the model asks for it");
    }
    if let (Owner::Function, Some(constness)) = (owner, &sig.constness) {
        errors.at(constness, "a tool cannot be `const`: it runs when the model asks for it");
    }
}

/// Reports a native tool that was meant for a step. Nothing else about it is worth a message then.
pub(super) fn reject_response(sig: &Signature, errors: &mut Errors) -> bool {
    let ReturnType::Type(_, ty) = &sig.output else {
        return false;
    };
    let is_response = is_response(ty);
    if is_response {
        errors.at(
            ty,
            "a native tool has no conversation to move: return a text, `Json<T>`, or a `Result` of those. The tools of a step stand in `#[tools] impl Step for …` or in a part of it, `#[tools(part = \"…\")]`",
        );
    }
    is_response
}

/// `ToolResponse` or `Result<ToolResponse, _>`.
fn is_response(ty: &Type) -> bool {
    if let Type::Path(path) = ungrouped(ty)
        && let Some(last) = path.path.segments.last().filter(|last| last.ident == "Result")
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(ty)) = arguments.args.first()
    {
        return is_named(ty, "ToolResponse");
    }
    is_named(ty, "ToolResponse")
}

/// The name of a method as the model sees it.
pub(super) fn method_name(sig: &Signature) -> String {
    sig.ident.unraw().to_string()
}
