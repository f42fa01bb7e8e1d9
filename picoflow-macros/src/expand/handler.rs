//! From a row of the table to the method behind it.

use crate::{
    krate::Krate,
    model::{Exposure, Method, Parameter},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ext::IdentExt, spanned::Spanned};

/// The row of a method. Named parameters bring the type that they are the fields of:
///
/// ```text
/// // Input:
/// #[tool]
/// async fn user_name(&self, cx: &mut Cx<'_>, name: String) -> ToolResponse { … }
/// // Output:
/// {
///     #[derive(Deserialize, JsonSchema)]
///     struct __PicoflowArguments { name: String }
///     Method {
///         name: "user_name",
///         handler: Handler::One(|step, cx, call| Box::pin(async move {
///             let arguments = match arguments::<__PicoflowArguments>(&call) { … };
///             IntoToolResponse::into_tool_response(Self::user_name(step, cx, arguments.name).await)
///         })),
///         by_name: false,
///         schema: Some(schema_of::<__PicoflowArguments>),
///     }
/// }
/// ```
pub(super) fn row(method: &Method, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let cfgs = &method.cfgs;
    let name = method.ident.unraw().to_string();
    let takes_group = method.shape.is_group() || matches!(method.exposure, Exposure::Sets(_));
    let by_name = matches!(method.exposure, Exposure::ByName) && !takes_group;
    let handler = if takes_group {
        group(method, krate)
    } else {
        one(method, krate)
    };
    let schema = schema(method, krate);
    let row = quote! {
        #private::Method {
            name: #name,
            handler: #handler,
            by_name: #by_name,
            schema: #schema,
        }
    };
    let arguments = arguments_struct(method, &name, krate);
    let row = arguments.map_or_else(|| row.clone(), |arguments| quote!({ #arguments #row }));
    quote!(#(#cfgs)* #row)
}

/// The function that makes the schema of the typed arguments, if there are any.
fn schema(method: &Method, krate: &Krate) -> TokenStream {
    let Some(ty) = arguments_type(method) else {
        return quote!(::core::option::Option::None);
    };
    let span = located_at(ty.span());
    let private = krate.private(span);
    quote_spanned!(span=> ::core::option::Option::Some(#private::schema_of::<#ty>))
}

/// The type that the arguments of a call are read into, if the method takes any.
pub(super) fn arguments_type(method: &Method) -> Option<TokenStream> {
    method
        .shape
        .parameters
        .iter()
        .find_map(|parameter| match parameter {
            Parameter::Arguments(ty) => Some(ty.to_token_stream()),
            Parameter::Field(_) => Some(fields_type(method).into_token_stream()),
            _ => None,
        })
}

fn fields_type(method: &Method) -> Ident {
    Ident::new("__PicoflowArguments", located_at(method.ident.span()))
}

fn arguments_struct(method: &Method, name: &str, krate: &Krate) -> Option<TokenStream> {
    method.shape.fields().next()?;
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let ty = fields_type(method);
    let fields = method.shape.fields().map(|field| {
        let (attrs, ident, ty) = (&field.attrs, &field.ident, &field.ty);
        quote!(#(#attrs)* #ident: #ty)
    });
    // The derives take their crate as text, which a path out of `macro_rules!` (`$crate::…`) does
    // not survive: hence two imports. The derived schema calls `.into()` even where there is no
    // prelude: hence the third.
    Some(quote_spanned! {span=>
        use #private::schemars as __picoflow_schemars;
        use #private::serde as __picoflow_serde;
        use ::core::convert::Into as _;
        #[derive(#private::serde::Deserialize, #private::schemars::JsonSchema)]
        #[serde(crate = "__picoflow_serde")]
        #[schemars(crate = "__picoflow_schemars", rename = #name)]
        struct #ty {
            #(#fields),*
        }
    })
}

/// The shim of a method that takes one call. A future that is not `Send` and a parameter of a wrong type are
/// reported at the method's name, wrong arguments at their type, a wrong reply at the return type.
fn one(method: &Method, krate: &Krate) -> TokenStream {
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let read = arguments_type(method).map(|ty| {
        let at = located_at(ty.span());
        let private = krate.private(at);
        let read = quote_spanned!(at=> #private::arguments::<#ty>(&__picoflow_call));
        quote_spanned! {span=>
            let __picoflow_arguments = match #read {
                ::core::result::Result::Ok(__picoflow_arguments) => __picoflow_arguments,
                ::core::result::Result::Err(__picoflow_error) => return ::core::result::Result::Err(__picoflow_error),
            };
        }
    });
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
    let values = method
        .shape
        .parameters
        .iter()
        .map(|parameter| value(parameter, span, krate));
    let call = quote_spanned!(span=> Self::#ident(__picoflow_step, #(#values),*));
    let call = if method.shape.is_async {
        quote_spanned!(span=> #call.await)
    } else {
        call
    };
    let output_span = located_at(method.shape.output_span);
    let private = krate.private(output_span);
    quote_spanned!(output_span=> #private::IntoToolResponse::into_tool_response(#call))
}

fn value(parameter: &Parameter, span: Span, krate: &Krate) -> TokenStream {
    let private = krate.private(span);
    match parameter {
        Parameter::Context => quote_spanned!(span=> __picoflow_cx),
        Parameter::Arguments(_) => quote_spanned!(span=> #private::Args(__picoflow_arguments)),
        Parameter::Call => quote_spanned!(span=> #private::CallView::to_call(&__picoflow_call)),
        Parameter::CallRef => quote_spanned!(span=> #private::CallView::call(&__picoflow_call)),
        Parameter::Calls => quote_spanned!(span=> __picoflow_calls),
        Parameter::Field(field) => {
            let ident = &field.ident;
            quote_spanned!(span=> __picoflow_arguments.#ident)
        }
    }
}

/// At the place of `span`, but of this expansion: so that lints take it for written by a macro.
fn located_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}
