//! The call of a method or a function, out of a shim.

use super::{arguments, located_at};
use crate::{
    krate::Krate,
    model::{Method, Parameter},
};
use proc_macro2::TokenStream;
use quote::quote_spanned;

/// Calls `path` with the receiver and what the parameters ask for.
pub(super) fn of(
    method: &Method,
    path: &TokenStream,
    receiver: Option<TokenStream>,
    krate: &Krate,
) -> TokenStream {
    let span = located_at(method.ident.span());
    let values = method.shape.parameters.iter().map(|parameter| value(parameter, method, krate));
    let values = receiver.into_iter().chain(values);
    let call = quote_spanned!(span=> #path(#(#values),*));
    if method.shape.is_async { quote_spanned!(span=> #call.await) } else { call }
}

/// `convert` of what `call` answers. The answer is bound first, so that a wrong one is reported at the return type
/// and not at the call.
pub(super) fn converted(
    method: &Method,
    convert: impl FnOnce(TokenStream, &TokenStream) -> TokenStream,
    call: &TokenStream,
    krate: &Krate,
) -> TokenStream {
    let span = located_at(method.ident.span());
    let at = located_at(method.shape.output_span);
    let answer = quote_spanned!(at=> __picoflow_answer);
    let converted = convert(krate.private(at), &answer);
    quote_spanned! {span=>
        let #answer = #call;
        #converted
    }
}

fn value(parameter: &Parameter, method: &Method, krate: &Krate) -> TokenStream {
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    match parameter {
        Parameter::Context => quote_spanned!(span=> __picoflow_cx),
        Parameter::Arguments(_) => quote_spanned!(span=> #private::Args(__picoflow_arguments)),
        Parameter::Call => quote_spanned!(span=> #private::CallView::to_call(&__picoflow_call)),
        Parameter::CallRef => quote_spanned!(span=> #private::CallView::call(&__picoflow_call)),
        Parameter::Calls => quote_spanned!(span=> __picoflow_calls),
        Parameter::Field(field) => arguments::value(method, field),
    }
}
