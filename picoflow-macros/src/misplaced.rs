//! Attributes used where they mean nothing.

use crate::{
    block::{ImplBlock, Member, Method, Syntax},
    lower,
};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// Whether these are the arguments of a marker, see `expand::markers`.
pub(crate) fn is_marker(args: &TokenStream) -> bool {
    args.to_string() == "__consumed"
}

/// `#[tool]` on what is no function; `expand` is what `#[tools]` makes of a block.
pub(crate) fn tool(
    item: &TokenStream,
    expand: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    let is_block = syn::parse2::<ImplBlock>(item.clone()).is_ok();
    let message = if is_block {
        "#[tool] can only mark step methods: a whole block takes `#[tools]`"
    } else {
        "#[tool] can only mark step methods: it stands on a method in a `#[tools]` block, or on a free function"
    };
    let error = syn::Error::new(Span::call_site(), message);
    let item = if is_block { expand(item) } else { without_ours(item.clone()) };
    with_error(&error, &item)
}

/// `#[tool]` on a method whose block has no `#[tools]`.
pub(crate) fn method(mut method: Method) -> TokenStream {
    let error = syn::Error::new(
        Span::call_site(),
        "#[tool] can only mark step methods: put `#[tools]` on the impl block around this one",
    );
    lower::strip(&mut method);
    with_error(&error, &method.to_token_stream())
}

/// `#[tools]` on something that is no impl block; `error` says why.
pub(crate) fn tools(error: &syn::Error, item: &TokenStream) -> TokenStream {
    let starts_with_impl = item.clone().into_iter().any(|token| is_word(&token, "impl"));
    let message = match receiver_of(item) {
        Some(true) => {
            "`#[tools([..])]` marks a method of a `#[tools] impl Step for …` block; this one has no `#[tools]`"
        }
        Some(false) => {
            "`#[tools]` is for blocks and for the methods in them; a free function takes `#[tool]`"
        }
        // The item is broken: rustc says more about it.
        None if starts_with_impl => return with_error(error, &without_ours(item.clone())),
        None => lower::BELONGS,
    };
    with_error(&syn::Error::new(Span::call_site(), message), &without_ours(item.clone()))
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
