//! From a row of a step's table to the method behind it.

use super::{arguments, call, located_at};
use crate::{
    krate::Krate,
    model::{Exposure, Method},
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

/// The row of a method:
///
/// ```text
/// // Input:
/// #[tool]
/// async fn user_name(&self, cx: &mut Cx<'_>, name: String) -> ToolResponse { … }
/// // Output:
/// Method {
///     name: "user_name",
///     handler: Handler::One(|step, cx, call| Box::pin(async move {
///         let mut faults = Faults::NONE;
///         let name = field::<String>(&call, "name", &mut faults);
///         let (Some(name),) = (name,) else { return Err(faults.into_error()) };
///         IntoToolResponse::into_tool_response(Self::user_name(step, cx, name).await)
///     })),
///     by_name: false,
///     schema: Some(SchemaRow::Fields(&[FieldRow::of::<String>("name", None)])),
/// }
/// ```
///
/// Parameters with attributes for derives become the fields of a hidden type instead:
///
/// ```text
/// {
///     #[derive(Deserialize, JsonSchema)]
///     struct __PicoflowArguments { #[schemars(length(min = 3))] name: String }
///     Method { … arguments::<__PicoflowArguments>(&call) … schema_of::<__PicoflowArguments> … }
/// }
/// ```
pub(super) fn row(method: &Method, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let cfgs = &method.cfgs;
    let name = method.ident.unraw().to_string();
    let takes_group = method.shape.is_group() || matches!(method.exposure, Exposure::Sets(_));
    let is_plain = matches!(method.exposure, Exposure::ByName | Exposure::ByTypes(_));
    let by_name = is_plain && !takes_group;
    let handler = if takes_group { group(method, krate) } else { one(method, krate) };
    let schema = arguments::option(arguments::schema(method, krate).as_ref());
    let row = quote! {
        #private::Method {
            name: #name,
            handler: #handler,
            by_name: #by_name,
            schema: #schema,
        }
    };
    let row = arguments::beside(&row, method, krate);
    quote!(#(#cfgs)* #row)
}

/// The shim of a method that takes one call. A future that is not `Send` and a parameter of a wrong type are
/// reported at the method's name, wrong arguments at their type, a wrong reply at the return type.
fn one(method: &Method, krate: &Krate) -> TokenStream {
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let read = arguments::read(
        method,
        krate,
        &quote_spanned!(span=> ::core::result::Result::Err(__picoflow_error)),
    );
    let reply = reply(method, krate);
    quote_spanned! {span=>
        #private::Handler::One(|__picoflow_step, __picoflow_cx, __picoflow_call| #private::Box::pin(async move {
            #read
            #reply
        }))
    }
}

/// The shim of a method that takes all calls of a reply.
fn group(method: &Method, krate: &Krate) -> TokenStream {
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let reply = reply(method, krate);
    quote_spanned! {span=>
        #private::Handler::Group(|__picoflow_step, __picoflow_cx, __picoflow_calls| #private::Box::pin(async move { #reply }))
    }
}

/// The call itself, and its result as a response.
fn reply(method: &Method, krate: &Krate) -> TokenStream {
    let ident = &method.ident;
    let span = located_at(ident.span());
    let at = located_at(method.shape.output_span);
    let call = call::of(
        method,
        &quote_spanned!(span=> Self::#ident),
        Some(quote_spanned!(span=> __picoflow_step)),
        krate,
    );
    let is_probed = method.probed().is_some();
    let convert = |private: TokenStream, answer: &TokenStream| {
        if is_probed {
            quote_spanned!(at=> #private::Probe(#answer).reply())
        } else {
            quote_spanned!(at=> #private::IntoToolResponse::into_tool_response(#answer))
        }
    };
    call::converted(method, convert, &call, krate)
}
