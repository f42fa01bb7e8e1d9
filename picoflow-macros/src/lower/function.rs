//! A free function with `#[tool]`.

use super::{attributes, owner::Owner, signature, strip, understood};
use crate::{
    args::ToolArgs,
    block::Method as Syntax,
    errors::Errors,
    krate::Krate,
    model::{LinkedFunction, Method},
};
use proc_macro2::TokenStream;
use syn::{Attribute, Generics};

/// `args` are those of the attribute that expands: the first one, if the function has several.
pub(crate) fn lower_function(
    args: TokenStream,
    function: &mut Syntax,
    errors: &mut Errors,
) -> LinkedFunction {
    let args = ToolArgs::read(args, None);
    let krate = Krate::new(args.as_ref().ok().and_then(|args| args.krate.as_ref()));
    let attrs = attributes::take(&mut function.attrs, errors);
    LinkedFunction {
        krate,
        lints: attributes::lints(&function.attrs),
        function: read(args, &attrs, function, errors),
        markers: attrs.iter().map(Attribute::path).cloned().collect(),
    }
}

fn read(
    args: syn::Result<ToolArgs>,
    attrs: &[Attribute],
    function: &mut Syntax,
    errors: &mut Errors,
) -> Option<Method> {
    if signature::reject_response(&function.sig, errors) {
        strip(function);
        return None;
    }
    let owner = Owner::Function;
    let shape = signature::of_tool(&mut function.sig, &Generics::default(), owner);
    // Both are read before either gives up, so that both are reported.
    let shape = errors.take(shape);
    let exposure = attributes::exposure(Some(args), attrs, function, owner, errors);
    Some(understood(function, shape?, exposure?))
}
