//! Attributes used where they mean nothing.

use crate::block::{Member, Syntax};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::quote;

/// Whether these are the arguments of a marker, see `expand::markers`.
pub(crate) fn is_marker(args: &TokenStream) -> bool {
    args.to_string() == "__consumed"
}

/// `#[tool]` that no `#[tools]` block consumed.
pub(crate) fn tool(args: &TokenStream, item: &TokenStream) -> TokenStream {
    if is_marker(args) {
        return TokenStream::new();
    }
    let advice = match receiver_of(item) {
        Some(true) => "put `#[tools]` on the impl block around this one",
        Some(false) => "tools without a step are not supported yet",
        None => "it stands on a method in a `#[tools] impl Step for …` block",
    };
    let message = format!("#[tool] can only mark step methods: {advice}");
    with_error(&syn::Error::new(Span::call_site(), message), item)
}

/// `#[tools]` on something that is no impl block; `error` says why.
pub(crate) fn tools(error: &syn::Error, item: &TokenStream) -> TokenStream {
    let starts_with_impl = item
        .clone()
        .into_iter()
        .any(|token| is_word(&token, "impl"));
    let message = match receiver_of(item) {
        Some(_) => {
            "`#[tools([..])]` marks a method of a `#[tools] impl Step for …` block; this one has no `#[tools]`"
        }
        // The item is broken: rustc says more about it.
        None if starts_with_impl => return with_error(error, &without_ours(item.clone())),
        None => "`#[tools]` belongs on `impl Step`, `impl LogicStep` or `impl Flow`",
    };
    with_error(
        &syn::Error::new(Span::call_site(), message),
        &without_ours(item.clone()),
    )
}

fn with_error(error: &syn::Error, item: &TokenStream) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #item)
}

/// Whether the function takes `self`; `None`: it is no function.
fn receiver_of(item: &TokenStream) -> Option<bool> {
    match syn::parse2::<Member>(item.clone()).ok()?.syntax {
        Syntax::Method(method) => Some(method.sig.receiver().is_some()),
        Syntax::Other(_) | Syntax::Broken(..) => None,
    }
}

/// Takes `#[tool…]` and `#[tools…]` out of an item that does not parse, so that they add no errors of their own.
pub(crate) fn without_ours(item: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in item {
        let TokenTree::Group(group) = &token else {
            kept.push(token);
            continue;
        };
        let is_attribute = group.delimiter() == Delimiter::Bracket
            && matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
        if is_attribute && is_ours(&group.stream()) {
            kept.pop();
        } else {
            let mut inner = Group::new(group.delimiter(), without_ours(group.stream()));
            inner.set_span(group.span());
            kept.push(inner.into());
        }
    }
    kept.into_iter().collect()
}

/// Whether the path of an attribute ends in one of our names.
fn is_ours(attribute: &TokenStream) -> bool {
    let path = attribute
        .clone()
        .into_iter()
        .take_while(|token| !matches!(token, TokenTree::Group(_)) && !is_equals(token));
    match (path.last(), attribute.clone().into_iter().next()) {
        (Some(last), _) => is_word(&last, "tool") || is_word(&last, "tools"),
        // An attribute out of `macro_rules!` stands in an invisible group.
        (None, Some(TokenTree::Group(group))) => is_ours(&group.stream()),
        (None, _) => false,
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_equals(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '=')
}
