//! The path by which expanded code reaches the facade crate.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Path;

/// `::picoflow`, or what `crate = …` says.
pub(crate) struct Krate(TokenStream);

impl Krate {
    pub(crate) fn new(path: Option<&Path>) -> Self {
        Self(path.map_or_else(|| quote!(::picoflow), ToTokens::to_token_stream))
    }

    /// The path to the hidden module, located at `span`.
    ///
    /// `quote_spanned!` leaves the spans of what it interpolates alone, and rustc reports an error
    /// at the start of the path: without this, every error would point at `#[tools]`.
    pub(crate) fn private(&self, span: Span) -> TokenStream {
        let Self(path) = self;
        located_at(quote!(#path::__private), span)
    }
}

/// Moves `tokens` to `span` and leaves what their names resolve to.
fn located_at(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                token = Group::new(group.delimiter(), located_at(group.stream(), span)).into();
            }
            token.set_span(token.span().located_at(span));
            token
        })
        .collect()
}
