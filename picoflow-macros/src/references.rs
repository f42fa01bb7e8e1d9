//! The steps that a method body names, read off its raw tokens.
//!
//! A body may be half typed, or hold any tokens inside a macro call: nothing here can fail, an odd
//! shape is just no reference.

use crate::model::Target;
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What `body` names, each target once in each role, in order; and whether it is handed to `go` or
/// `direct_to`. `own` is what `Self` stands for.
pub(crate) fn find(body: TokenStream, own: Option<&str>) -> Vec<(Target, bool)> {
    let mut found = Found {
        own,
        references: Vec::new(),
    };
    found.scan(&body.into_iter().collect::<Vec<_>>(), false);
    found.references
}

struct Found<'a> {
    own: Option<&'a str>,
    references: Vec<(Target, bool)>,
}

impl Found<'_> {
    /// `routes`: whether these tokens are the first argument of `go` or `direct_to`.
    fn scan(&mut self, tokens: &[TokenTree], routes: bool) {
        for (index, token) in tokens.iter().enumerate() {
            let (before, after) = (tokens.get(..index), tokens.get(index + 1));
            let before = before.unwrap_or_default();
            match token {
                TokenTree::Ident(ident) if ident == "ID" => {
                    let target = type_before(before).and_then(|name| self.resolve(name));
                    self.push(target, routes);
                }
                TokenTree::Group(group) => {
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    if group.delimiter() == Delimiter::Parenthesis && is_transition(before) {
                        self.scan_call(&inner);
                    } else {
                        self.scan(&inner, routes);
                    }
                }
                _ => {}
            }
            // Only alone: within more, a literal may mean anything.
            if let (true, [], None, TokenTree::Literal(text)) = (routes, before, after, token) {
                self.push(literal(text).map(Target::Id), true);
            }
        }
    }

    /// The arguments of `go` or `direct_to`: the first is where it goes.
    fn scan_call(&mut self, arguments: &[TokenTree]) {
        let comma = arguments.iter().position(|token| is_punct(token, ','));
        let (first, rest) = arguments.split_at(comma.unwrap_or(arguments.len()));
        self.scan(first, true);
        self.scan(rest, false);
    }

    fn resolve(&self, name: String) -> Option<Target> {
        let name = if name == "Self" {
            self.own?.to_owned()
        } else {
            name
        };
        Some(Target::Type(name))
    }

    fn push(&mut self, target: Option<Target>, routes: bool) {
        let reference = target.map(|target| (target, routes));
        self.references
            .extend(reference.filter(|reference| !self.references.contains(reference)));
    }
}

/// Whether `before` ends in the name of a transition: `go`, `response::go`, but not `robot.go` nor `fn go`.
fn is_transition(before: &[TokenTree]) -> bool {
    let [rest @ .., TokenTree::Ident(name)] = before else {
        return false;
    };
    (name == "go" || name == "direct_to")
        && match rest.last() {
            Some(TokenTree::Punct(punct)) => punct.as_char() != '.',
            Some(TokenTree::Ident(word)) => word != "fn",
            _ => true,
        }
}

/// The last segment of the path that `before` ends with, if it ends with `path::`.
fn type_before(before: &[TokenTree]) -> Option<String> {
    let [rest @ .., TokenTree::Punct(first), TokenTree::Punct(second)] = before else {
        return None;
    };
    let is_path =
        first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':';
    is_path.then(|| last_segment(rest)).flatten()
}

/// `X` of `a::X`, `X::<T>`, `X<T>`, `<X<T>>` and `<X as Step>`.
fn last_segment(path: &[TokenTree]) -> Option<String> {
    match path {
        [.., TokenTree::Ident(name)] => Some(unraw(&name.to_string())),
        [inside @ .., close] if is_punct(close, '>') => {
            let open = matching_open(inside)?;
            let (head, inside) = (inside.get(..open)?, inside.get(open + 1..)?);
            let head = match head {
                [head @ .., first, second] if is_punct(first, ':') && is_punct(second, ':') => head,
                head => head,
            };
            match head {
                [.., TokenTree::Ident(name)] if !is_keyword(&name.to_string()) => {
                    Some(unraw(&name.to_string()))
                }
                _ => last_segment(before_as(inside)),
            }
        }
        _ => None,
    }
}

/// Where the `<` of an angle bracket stands whose `>` was just taken off.
fn matching_open(tokens: &[TokenTree]) -> Option<usize> {
    let mut depth = 1_usize;
    for (index, token) in tokens.iter().enumerate().rev() {
        let is_arrow = index > 0
            && tokens
                .get(index - 1)
                .is_some_and(|token| is_punct(token, '-'));
        if is_punct(token, '>') && !is_arrow {
            depth += 1;
        } else if is_punct(token, '<') {
            depth -= 1;
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// `X<T>` of `X<T> as Step`.
fn before_as(tokens: &[TokenTree]) -> &[TokenTree] {
    let at = tokens
        .iter()
        .rposition(|token| matches!(token, TokenTree::Ident(word) if word == "as"));
    at.and_then(|at| tokens.get(..at)).unwrap_or(tokens)
}

/// Keywords that may stand before the `<` of a qualified path.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "return" | "else" | "in" | "match" | "if" | "break" | "move" | "await"
    )
}

fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

fn literal(literal: &proc_macro2::Literal) -> Option<String> {
    let text: syn::LitStr = syn::parse_str(&literal.to_string()).ok()?;
    Some(text.value())
}

fn unraw(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn types(body: TokenStream) -> Vec<(String, bool)> {
        let name = |(target, routes)| match target {
            Target::Type(name) => (name, routes),
            Target::Id(name) => (format!("{name:?}"), routes),
        };
        find(body, Some("Own")).into_iter().map(name).collect()
    }

    #[test]
    fn every_spelling_of_a_path() {
        let body = quote! {
            go(A::ID);
            go(crate::deep::B::ID);
            direct_to(C::<u8>::ID, "text");
            response::go(<D<Vec<u8>> as Step>::ID);
            go(<E>::ID);
            go(Self::ID.clone());
            go(&F::ID)
        };
        let names = ["A", "B", "C", "D", "E", "Own", "F"];
        assert_eq!(types(body), names.map(|name| (name.to_owned(), true)));
    }

    #[test]
    fn literals_count_alone_and_in_first_place() {
        let body = quote! {
            go("A");
            direct_to("B", "not this");
            go(if name == "not this" { C::ID } else { D::ID });
            json!({ "x": "not this" })
        };
        let found = [("\"A\"", true), ("\"B\"", true), ("C", true), ("D", true)];
        assert_eq!(
            types(body),
            found.map(|(name, routes)| (name.to_owned(), routes))
        );
    }

    #[test]
    fn mentions_are_no_routes() {
        let body = quote! {
            if cx.previous() == Some(A::ID) { robot.go(B::ID); }
            go(A::ID);
            go(A::ID);
            log!(A::ID)
        };
        let found = [("A", false), ("B", false), ("A", true)];
        assert_eq!(
            types(body),
            found.map(|(name, routes)| (name.to_owned(), routes))
        );
    }

    #[test]
    fn odd_tokens_are_no_reference() {
        for body in [
            "ID", "::ID", ">::ID", "a > ::ID", "x.ID", "go()", "go(,)", "go(3)", "<>::ID",
            "(a)::ID",
        ] {
            let tokens = body.parse().expect("tokens");
            assert_eq!(types(tokens), [], "{body}");
        }
    }
}
