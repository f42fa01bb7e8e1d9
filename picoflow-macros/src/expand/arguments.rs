//! The arguments of a call: their type, their schema, and how they are read.

use super::located_at;
use crate::{
    block::has_word,
    krate::Krate,
    model::{Field, Method, Parameter},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{ExprPath, ext::IdentExt, spanned::Spanned};

/// How a method takes its arguments.
enum Taken<'a> {
    /// As a type that is the whole object: the user's, or the hidden one.
    Whole(TokenStream),
    /// One by one.
    Fields(Vec<&'a Field>),
}

impl<'a> Taken<'a> {
    /// `None`: the method takes no arguments.
    fn by(method: &'a Method) -> Option<Self> {
        let whole = method.shape.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Arguments(ty) => Some(ty.to_token_stream()),
            _ => None,
        });
        let fields: Vec<_> = method.shape.fields().collect();
        match whole {
            Some(ty) => Some(Self::Whole(ty)),
            None if fields.is_empty() => None,
            None if needs_struct(method) => {
                Some(Self::Whole(fields_type(method).into_token_stream()))
            }
            None => Some(Self::Fields(fields)),
        }
    }
}

/// Whether derives have to read the parameters, since their attributes are for derives. Without one, each parameter is
/// read by its type alone, which costs a fraction of the compile time.
pub(super) fn needs_struct(method: &Method) -> bool {
    method.shape.fields().any(|field| field.attrs.iter().any(|attr| !attr.path().is_ident("doc")))
}

/// What makes the schema of the typed arguments, if there are any.
pub(super) fn schema(method: &Method, krate: &Krate) -> Option<TokenStream> {
    Some(match Taken::by(method)? {
        Taken::Whole(ty) => {
            let span = located_at(ty.span());
            let private = krate.private(span);
            quote_spanned!(span=> #private::SchemaRow::Whole(#private::schema_of::<#ty>))
        }
        Taken::Fields(fields) => {
            let private = krate.private(Span::call_site());
            let is_probed = method.probed().is_some();
            let rows = fields.into_iter().map(|field| field_row(field, is_probed, krate));
            quote!(#private::SchemaRow::Fields(&[#(#rows),*]))
        }
    })
}

fn field_row(field: &Field, is_probed: bool, krate: &Krate) -> TokenStream {
    let Field { description, ident, ty, .. } = field;
    let span = located_at(ty.span());
    let private = krate.private(span);
    let name = ident.unraw().to_string();
    if is_probed {
        let ty = quote_spanned!(span=> #private::Probe::<#ty>::FIELD);
        return quote_spanned!(span=> #private::FieldRow::probed(#name, #ty));
    }
    let description = option(description.as_ref());
    quote_spanned!(span=> #private::FieldRow::of::<#ty>(#name, #description))
}

/// What makes the schema by the user's own function.
pub(super) fn schema_by(path: &ExprPath, krate: &Krate) -> TokenStream {
    let span = located_at(path.span());
    let private = krate.private(span);
    quote_spanned!(span=> #private::SchemaRow::Whole(|| ::core::convert::Into::into(#path())))
}

/// `Some` of what is there.
pub(super) fn option(value: Option<&TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// Reads the arguments, if the method takes any; `failure` is what becomes of `__picoflow_error`.
pub(super) fn read(method: &Method, krate: &Krate, failure: &TokenStream) -> Option<TokenStream> {
    let span = located_at(method.ident.span());
    let fields = match Taken::by(method)? {
        Taken::Fields(fields) => fields,
        Taken::Whole(ty) => {
            let at = located_at(ty.span());
            let private = krate.private(at);
            let read = quote_spanned!(at=> #private::arguments::<#ty>(&__picoflow_call));
            return Some(quote_spanned! {span=>
                let __picoflow_arguments = match #read {
                    ::core::result::Result::Ok(__picoflow_arguments) => __picoflow_arguments,
                    ::core::result::Result::Err(__picoflow_error) => return #failure,
                };
            });
        }
    };
    let private = krate.private(span);
    let locals: Vec<_> = fields.iter().map(|field| local(&field.ident, span)).collect();
    let reads = fields.iter().map(|Field { ident, ty, .. }| {
        let at = located_at(ty.span());
        let private = krate.private(at);
        let name = ident.unraw().to_string();
        let read = if method.probed().is_some() {
            quote_spanned!(at=> #private::Probe::<#ty>::field)
        } else {
            quote_spanned!(at=> #private::field::<#ty>)
        };
        quote_spanned!(at=> #read(&__picoflow_call, #name, &mut __picoflow_faults))
    });
    // All are read before the first failure counts, so that all faults are told together.
    Some(quote_spanned! {span=>
        let mut __picoflow_faults = #private::Faults::NONE;
        #(let #locals = #reads;)*
        let (#(::core::option::Option::Some(#locals),)*) = (#(#locals,)*) else {
            let __picoflow_error = __picoflow_faults.into_error();
            return #failure;
        };
    })
}

/// The variable that a parameter is read into.
fn local(parameter: &Ident, span: Span) -> Ident {
    format_ident!("__picoflow_field_{}", parameter.unraw(), span = span)
}

/// A parameter that was read.
pub(super) fn value(method: &Method, field: &Field) -> TokenStream {
    let span = located_at(method.ident.span());
    if needs_struct(method) {
        let ident = &field.ident;
        quote_spanned!(span=> __picoflow_arguments.#ident)
    } else {
        local(&field.ident, span).into_token_stream()
    }
}

/// What `Probe` needs around it: the trait that answers where its own members do not. It is used at once, for where
/// all types fit it is not.
pub(super) fn probe(method: &Method, krate: &Krate) -> Option<TokenStream> {
    method.probed()?;
    let private = krate.private(Span::call_site());
    Some(quote! {
        use #private::Unfit as _;
        const _: bool = #private::Probe::<()>::ANSWERS;
    })
}

/// `row` with what it needs beside it: the type that named parameters are the fields of, or the trait of `Probe`.
pub(super) fn beside(row: &TokenStream, method: &Method, krate: &Krate) -> TokenStream {
    let before = fields_struct(method, krate).or_else(|| probe(method, krate));
    before.map_or_else(|| row.clone(), |before| quote!({ #before #row }))
}

fn fields_type(method: &Method) -> Ident {
    Ident::new("__PicoflowArguments", located_at(method.ident.span()))
}

/// The type that named parameters are the fields of, where derives read them.
pub(super) fn fields_struct(method: &Method, krate: &Krate) -> Option<TokenStream> {
    if !needs_struct(method) {
        return None;
    }
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
    let definitions = method.tools().iter().filter_map(|tool| tool.definition.as_ref());
    definitions
        .flat_map(|definition| {
            [definition.description.clone(), definition.schema.to_token_stream()]
        })
        .any(|tokens| has_word(tokens, word))
}
