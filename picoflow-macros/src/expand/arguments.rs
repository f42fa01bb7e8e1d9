//! The arguments of a call: their type, their schema, and how they are read.

use super::located_at;
use crate::{
    krate::Krate,
    model::{Exposure, Method, Parameter},
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ExprPath, ext::IdentExt, spanned::Spanned};

/// The type that the arguments of a call are read into, if the method takes any.
pub(super) fn ty(method: &Method) -> Option<TokenStream> {
    method.shape.parameters.iter().find_map(|parameter| match parameter {
        Parameter::Arguments(ty) => Some(ty.to_token_stream()),
        Parameter::Field(_) => Some(fields_type(method).into_token_stream()),
        _ => None,
    })
}

/// The function that makes the schema of the typed arguments, if there are any.
pub(super) fn schema(method: &Method, krate: &Krate) -> TokenStream {
    let Some(ty) = ty(method) else {
        return quote!(::core::option::Option::None);
    };
    let span = located_at(ty.span());
    let private = krate.private(span);
    quote_spanned!(span=> ::core::option::Option::Some(#private::schema_of::<#ty>))
}

/// The function that makes the schema by the user's own.
pub(super) fn schema_by(path: &ExprPath) -> TokenStream {
    let span = located_at(path.span());
    quote_spanned!(span=> ::core::option::Option::Some(|| ::core::convert::Into::into(#path())))
}

/// Reads the arguments, if the method takes any; `failure` is what becomes of `__picoflow_error`.
pub(super) fn read(method: &Method, krate: &Krate, failure: &TokenStream) -> Option<TokenStream> {
    let ty = ty(method)?;
    let span = located_at(method.ident.span());
    let at = located_at(ty.span());
    let private = krate.private(at);
    let read = quote_spanned!(at=> #private::arguments::<#ty>(&__picoflow_call));
    Some(quote_spanned! {span=>
        let __picoflow_arguments = match #read {
            ::core::result::Result::Ok(__picoflow_arguments) => __picoflow_arguments,
            ::core::result::Result::Err(__picoflow_error) => return #failure,
        };
    })
}

/// `row` with the type that named parameters are the fields of, if there are any.
pub(super) fn beside(row: &TokenStream, method: &Method, krate: &Krate) -> TokenStream {
    fields_struct(method, krate).map_or_else(|| row.clone(), |fields| quote!({ #fields #row }))
}

fn fields_type(method: &Method) -> Ident {
    Ident::new("__PicoflowArguments", located_at(method.ident.span()))
}

/// The type that named parameters are the fields of.
pub(super) fn fields_struct(method: &Method, krate: &Krate) -> Option<TokenStream> {
    method.shape.fields().next()?;
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let ty = fields_type(method);
    let name = method.ident.unraw().to_string();
    let fields = method.shape.fields().map(|field| {
        let (attrs, ident, ty) = (&field.attrs, &field.ident, &field.ty);
        quote!(#(#attrs)* #ident: #ty)
    });
    let shadows = shadows(method, span);
    // The derives take their crate as text, which a path out of `macro_rules!` (`$crate::…`) does
    // not survive: hence two imports. The derived schema calls `.into()` even where there is no
    // prelude: hence the third.
    Some(quote_spanned! {span=>
        use #private::schemars as __picoflow_schemars;
        use #private::serde as __picoflow_serde;
        use ::core::convert::Into as _;
        #shadows
        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = "__picoflow_serde")]
        #[schemars(crate = "__picoflow_schemars", rename = #name)]
        struct #ty {
            #(#fields),*
        }
    })
}

/// The derived schema binds `schema` and `generator`, and a const of that name around it would turn the binding
/// into a pattern. A function of that name hides the const, and may itself be shadowed by a binding. Where the row
/// names it, it is the user's own function, and does no harm.
fn shadows(method: &Method, span: Span) -> TokenStream {
    ["schema", "generator"]
        .into_iter()
        .filter(|name| method.ident != name && !names(method, name))
        .map(|name| {
            let name = Ident::new(name, span);
            // Used, so that there is nothing to allow, which a user may have forbidden.
            quote! {
                fn #name() {}
                const _: fn() = #name;
            }
        })
        .collect()
}

/// Whether an expression of the user's in a definition has `word` in it.
fn names(method: &Method, word: &str) -> bool {
    let Exposure::Tools(tools) = &method.exposure else {
        return false;
    };
    let definitions = tools.iter().filter_map(|tool| tool.definition.as_ref());
    definitions
        .flat_map(|definition| {
            [definition.description.clone(), definition.schema.to_token_stream()]
        })
        .any(|tokens| has_word(tokens, word))
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => has_word(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
