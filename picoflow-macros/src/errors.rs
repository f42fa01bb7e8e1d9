//! Collects diagnostics, so that one build reports all of them.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt::Display;

/// Errors found so far. Must be consumed, so that none is lost.
#[derive(Default)]
#[must_use]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Records `message` at the source of `node`.
    pub(crate) fn at(&mut self, node: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(node, message));
    }

    /// Records an error that has its place already.
    pub(crate) fn push(&mut self, error: impl Into<syn::Error>) {
        let error = error.into();
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    /// Keeps the value of `result`, or records its error.
    pub(crate) fn take<T>(&mut self, result: Result<T, impl Into<syn::Error>>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All of them as one error, for a caller that collects in turn.
    pub(crate) fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }

    /// The `compile_error!`s.
    pub(crate) fn into_tokens(self) -> Option<TokenStream> {
        self.0.map(syn::Error::into_compile_error)
    }
}
