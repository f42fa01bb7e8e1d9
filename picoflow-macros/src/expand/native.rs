//! Native tools: the rows of a collection, and the registration of a free function.

use super::{arguments, call, located_at, rows};
use crate::{
    krate::Krate,
    model::{Definition, LinkedFunction, Method, Tool, ToolBlock},
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// `const { &[NativeRow { … }, …] }`.
pub(super) fn rows(model: &ToolBlock) -> TokenStream {
    let krate = &model.krate;
    let rows = model.methods.iter().flat_map(|method| {
        let rows = tools(method).map(|(tool, definition)| row(tool, definition, method, krate));
        rows.collect::<Vec<_>>()
    });
    quote!(const { &[#(#rows),*] })
}

/// The check for names that two rows share, where `#[cfg]` kept the macro from it.
pub(super) fn check(model: &ToolBlock, span: Span) -> Option<TokenStream> {
    let is_conditional = |method: &Method| !method.cfgs.is_empty();
    model.methods.iter().find(|method| is_conditional(method))?;
    let private = model.krate.private(span);
    let cfgs = &model.cfgs;
    let rows = model.methods.iter().flat_map(|method| {
        let rows = tools(method).map(|(tool, _)| rows::tool(tool, method, &private));
        rows.collect::<Vec<_>>()
    });
    Some(quote_spanned! {span=>
        #(#cfgs)*
        const _: () = #private::check::distinct(&[#(#rows),*]);
    })
}

/// What stands beside an annotated free function:
///
/// ```text
/// // Input:
/// /// Greet someone by name
/// #[tool]
/// fn greet(name: String) -> String { … }
/// // Output:
/// const _: () = {
///     inventory::submit! {
///         LinkedTool { tool: "greet", …, handler: |cx, call| Box::pin(async move {
///             let name = field::<String>(&call, "name", …); …
///             IntoToolOutput::into_tool_output(greet(name))
///         }) }
///     }
/// };
/// ```
pub(super) fn linked(model: &LinkedFunction) -> Option<TokenStream> {
    let LinkedFunction { krate, lints, function, .. } = model;
    let function = function.as_ref()?;
    let private = krate.private(Span::call_site());
    let cfgs = &function.cfgs;
    let fields = arguments::fields_struct(function, krate);
    let tools = tools(function).map(|(tool, definition)| {
        let columns = columns(tool, definition, function, krate);
        let handler = function_shim(function, krate);
        let place = place(function);
        quote! {
            #private::inventory::submit! {
                #private::LinkedTool { #columns handler: #handler, #place }
            }
        }
    });
    Some(quote! {
        #(#cfgs)*
        #(#lints)*
        const _: () = {
            #fields
            #(#tools)*
        };
    })
}

/// The tools of a method, all of which are defined.
fn tools(method: &Method) -> impl Iterator<Item = (&Tool, &Definition)> {
    method.tools().iter().filter_map(|tool| Some((tool, tool.definition.as_ref()?)))
}

fn row(tool: &Tool, definition: &Definition, method: &Method, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let cfgs = &method.cfgs;
    let columns = columns(tool, definition, method, krate);
    let handler = method_shim(method, krate);
    let row = quote!(#private::NativeRow { #columns handler: #handler });
    let row = arguments::beside(&row, method, krate);
    quote!(#(#cfgs)* #row)
}

/// What a row of a collection and one of a function have in common.
fn columns(tool: &Tool, definition: &Definition, method: &Method, krate: &Krate) -> TokenStream {
    let name = &tool.name;
    let Definition { description, schema, is_strict, is_lenient } = definition;
    let schema = match schema {
        Some(path) => Some(arguments::schema_by(path, krate)),
        None => arguments::schema(method, krate),
    };
    let schema = arguments::option(schema.as_ref());
    quote! {
        tool: #name,
        description: #description,
        schema: #schema,
        strict: #is_strict,
        lenient: #is_lenient,
    }
}

fn method_shim(method: &Method, krate: &Krate) -> TokenStream {
    let ident = &method.ident;
    let span = located_at(ident.span());
    let private = krate.private(span);
    let body = body(
        method,
        &quote_spanned!(span=> Self::#ident),
        Some(quote_spanned!(span=> __picoflow_step)),
        krate,
    );
    quote_spanned!(span=> |__picoflow_step, __picoflow_cx, __picoflow_call| #private::Box::pin(async move { #body }))
}

fn function_shim(function: &Method, krate: &Krate) -> TokenStream {
    let ident = &function.ident;
    let span = located_at(ident.span());
    let private = krate.private(span);
    let body = body(function, &quote_spanned!(span=> #ident), None, krate);
    quote_spanned!(span=> |__picoflow_cx, __picoflow_call| #private::Box::pin(async move { #body }))
}

/// Reads the arguments and calls. A wrong type is reported at the return type.
fn body(
    method: &Method,
    path: &TokenStream,
    receiver: Option<TokenStream>,
    krate: &Krate,
) -> TokenStream {
    let span = located_at(method.ident.span());
    let private = krate.private(span);
    let failure = quote_spanned!(span=> <#private::ToolOutput as ::core::convert::From<_>>::from(__picoflow_error));
    let read = arguments::read(method, krate, &failure);
    let call = call::of(method, path, receiver, krate);
    let at = located_at(method.shape.output_span);
    let convert = |private: TokenStream, answer: &TokenStream| quote_spanned!(at=> #private::IntoToolOutput::into_tool_output(#answer));
    let output = call::converted(method, convert, &call, krate);
    quote_spanned!(span=> #read #output)
}

/// Where the function is. The macros are located by the name itself, and not by a span of this expansion, since
/// `line!` reports the outermost expansion that it is part of: that would be the line of the attribute.
fn place(function: &Method) -> TokenStream {
    let span = function.ident.span();
    quote_spanned! {span=>
        module: ::core::module_path!(),
        file: ::core::file!(),
        line: ::core::line!(),
    }
}
