//! The steps that a method body names, read off its raw tokens.
//!
//! A body may be half typed, or hold any tokens inside a macro call: nothing here can fail, an odd
//! shape is just no reference.

use crate::model::{Purpose, Target};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// What `body` names, each target once for each purpose, in order. `own` is what `Self` stands for.
pub(crate) fn find(body: TokenStream, own: Option<&str>) -> Vec<(Target, Purpose)> {
    let mut found = Found { own, references: Vec::new() };
    found.scan(&body.into_iter().collect::<Vec<_>>(), Purpose::Mention);
    found.references
}

struct Found<'a> {
    own: Option<&'a str>,
    references: Vec<(Target, Purpose)>,
}

impl Found<'_> {
    /// `purpose`: of the call whose first argument these tokens are.
    fn scan(&mut self, tokens: &[TokenTree], purpose: Purpose) {
        for (index, token) in tokens.iter().enumerate() {
            let (before, after) = (tokens.get(..index), tokens.get(index + 1));
            let before = before.unwrap_or_default();
            match token {
                TokenTree::Ident(ident) if ident == "ID" => {
                    let target = type_before(before).and_then(|name| self.resolve(name));
                    self.push(target, purpose);
                }
                TokenTree::Group(group) => {
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    match purpose_of_call(before) {
                        Some(purpose) if group.delimiter() == Delimiter::Parenthesis => {
                            self.scan_call(&inner, purpose);
                        }
                        _ => self.scan(&inner, purpose),
                    }
                }
                _ => {}
            }
            // Only alone: within more, a literal may mean anything.
            if let (true, [], None, TokenTree::Literal(text)) =
                (purpose != Purpose::Mention, before, after, token)
            {
                self.push(literal(text).map(Target::Id), purpose);
            }
        }
    }

    /// The arguments of a call that takes a step first.
    fn scan_call(&mut self, arguments: &[TokenTree], purpose: Purpose) {
        let comma = arguments.iter().position(|token| is_punct(token, ','));
        let (first, rest) = arguments.split_at(comma.unwrap_or(arguments.len()));
        self.scan(first, purpose);
        self.scan(rest, Purpose::Mention);
    }

    fn resolve(&self, name: String) -> Option<Target> {
        let name = if name == "Self" { self.own?.to_owned() } else { name };
        Some(Target::Type(name))
    }

    fn push(&mut self, target: Option<Target>, purpose: Purpose) {
        let reference = target.map(|target| (target, purpose));
        self.references.extend(reference.filter(|reference| !self.references.contains(reference)));
    }
}

/// What the call does whose name `before` ends with: `go`, `response::go`, but not `robot.go` nor `fn go`;
/// `cx.run_step`; `Child::new`.
fn purpose_of_call(before: &[TokenTree]) -> Option<Purpose> {
    let [rest @ .., TokenTree::Ident(name)] = before else {
        return None;
    };
    let is_method = rest.last().is_some_and(|token| is_punct(token, '.'));
    let is_definition = matches!(rest.last(), Some(TokenTree::Ident(word)) if word == "fn");
    match &*name.to_string() {
        _ if is_definition => None,
        "go" | "direct_to" if !is_method => Some(Purpose::Go),
        "run_step" if is_method => Some(Purpose::Child),
        "new" if type_before(rest).is_some_and(|ty| ty == "Child") => Some(Purpose::Child),
        _ => None,
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
        let is_arrow = index > 0 && tokens.get(index - 1).is_some_and(|token| is_punct(token, '-'));
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
    let at =
        tokens.iter().rposition(|token| matches!(token, TokenTree::Ident(word) if word == "as"));
    at.and_then(|at| tokens.get(..at)).unwrap_or(tokens)
}

/// Keywords that may stand before the `<` of a qualified path.
fn is_keyword(word: &str) -> bool {
    matches!(word, "return" | "else" | "in" | "match" | "if" | "break" | "move" | "await")
}

/// The tools that a body of `hide_tools` names by literals: in `["a"].into()`, `Hidden::from(["a"])` and
/// `Hidden::Names(vec!["a".into()])`. Any other literal may mean anything.
pub(crate) fn hidden(body: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    scan_hidden(&body.into_iter().collect::<Vec<_>>(), false, &mut names);
    names
}

/// `is_argument`: the tokens are what `Hidden` is made of.
fn scan_hidden(tokens: &[TokenTree], is_argument: bool, names: &mut Vec<String>) {
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before = tokens.get(..index).unwrap_or_default();
        let after = tokens.get(index + 1..).unwrap_or_default();
        let inner: Vec<_> = group.stream().into_iter().collect();
        if group.delimiter() == Delimiter::Bracket
            && is_list(before)
            && (is_argument || is_converted(after))
        {
            let elements = inner.split(|token| is_punct(token, ','));
            let found = elements.filter_map(name_of);
            for name in found {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        } else {
            let makes_hidden = group.delimiter() == Delimiter::Parenthesis && makes_hidden(before);
            scan_hidden(&inner, is_argument || makes_hidden, names);
        }
    }
}

/// Whether a bracket behind `before` is a list and no index: `[..]`, `vec![..]`, but not `map[..]`, `f()[..]` nor `#[..]`.
fn is_list(before: &[TokenTree]) -> bool {
    match before.last() {
        Some(TokenTree::Ident(word)) => is_keyword(&word.to_string()),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '#' | '?'),
        Some(TokenTree::Literal(_)) => false,
        None => true,
    }
}

/// Whether what follows is `.into()` and nothing that goes on from there.
fn is_converted(after: &[TokenTree]) -> bool {
    let [dot, TokenTree::Ident(into), TokenTree::Group(call), rest @ ..] = after else {
        return false;
    };
    let goes_on = rest.first().is_some_and(|token| is_punct(token, '.'));
    is_punct(dot, '.') && into == "into" && call.stream().is_empty() && !goes_on
}

/// Whether `before` ends with `Hidden::from`, `Hidden::Names` or `Names`.
fn makes_hidden(before: &[TokenTree]) -> bool {
    let [rest @ .., TokenTree::Ident(name)] = before else {
        return false;
    };
    name == "Names" || name == "from" && type_before(rest).is_some_and(|ty| ty == "Hidden")
}

/// The name that an element says: `"a"`, `"a".into()`, `Cow::Borrowed("a")`.
fn name_of(element: &[TokenTree]) -> Option<String> {
    match element {
        [TokenTree::Literal(text)] => literal(text),
        [TokenTree::Literal(text), dot, ..] if is_punct(dot, '.') => literal(text),
        [.., TokenTree::Ident(_), TokenTree::Group(call)] => {
            name_of(&call.stream().into_iter().collect::<Vec<_>>())
        }
        _ => None,
    }
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

    const GO: Purpose = Purpose::Go;
    const CHILD: Purpose = Purpose::Child;
    const MENTION: Purpose = Purpose::Mention;

    fn types(body: TokenStream) -> Vec<(String, Purpose)> {
        let name = |(target, purpose)| match target {
            Target::Type(name) => (name, purpose),
            Target::Id(name) => (format!("{name:?}"), purpose),
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
        assert_eq!(types(body), names.map(|name| (name.to_owned(), GO)));
    }

    #[test]
    fn literals_count_alone_and_in_first_place() {
        let body = quote! {
            go("A");
            direct_to("B", "not this");
            go(if name == "not this" { C::ID } else { D::ID });
            json!({ "x": "not this" })
        };
        let found = [("\"A\"", GO), ("\"B\"", GO), ("C", GO), ("D", GO)];
        assert_eq!(types(body), found.map(|(name, purpose)| (name.to_owned(), purpose)));
    }

    #[test]
    fn mentions_are_no_routes() {
        let body = quote! {
            if cx.previous() == Some(A::ID) { robot.go(B::ID); }
            go(A::ID);
            go(A::ID);
            log!(A::ID)
        };
        let found = [("A", MENTION), ("B", MENTION), ("A", GO)];
        assert_eq!(types(body), found.map(|(name, purpose)| (name.to_owned(), purpose)));
    }

    #[test]
    fn children_are_neither_routes_nor_mentions() {
        let body = quote! {
            cx.run_step(A::ID, None).await?;
            cx.run_steps([Child::new(B::ID).key("x"), picoflow::Child::new("C")]).await?;
            Other::new(D::ID);
            run_step(E::ID)
        };
        let found = [("A", CHILD), ("B", CHILD), ("\"C\"", CHILD), ("D", MENTION), ("E", MENTION)];
        assert_eq!(types(body), found.map(|(name, purpose)| (name.to_owned(), purpose)));
    }

    #[test]
    fn hidden_names_are_read_off_what_becomes_hidden() {
        for (body, names) in [
            (quote!(["a", "b"].into()), &["a", "b"][..]),
            (quote!(Hidden::from(["a"])), &["a"]),
            (quote!(picoflow::Hidden::Names(vec!["a".into(), "b".to_owned().into()])), &["a", "b"]),
            (quote!(Hidden::Names(Vec::from([Cow::Borrowed("a"), Cow::from("b")]))), &["a", "b"]),
            (quote!(if x { ["a"].into() } else { return ["b"].into() }), &["a", "b"]),
            (
                quote!(match cx.state()["k"].as_str() {
                    Some("x") => ["a"].into(),
                    _ => y,
                }),
                &["a"],
            ),
        ] {
            assert_eq!(hidden(body), names);
        }
    }

    #[test]
    fn other_literals_hide_nothing() {
        let bodies = [
            quote!(cx.state()["a"].into()),
            quote!(if ["a", "b"].contains(&x) { Hidden::All } else { Hidden::None }),
            quote!(["a"].into().map(|x| x)),
            quote!(Hidden::Names(names)),
            quote!(Hidden::from([NAME])),
            quote!(Other::from(["a"])),
        ];
        for body in bodies {
            let text = body.to_string();
            assert!(hidden(body).is_empty(), "{text}");
        }
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
