//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token, punctuated::Punctuated};

/// What the doc comment says, as an expression; `None` if it says nothing.
///
/// # Errors
/// When a part of it is conditional.
pub(super) fn description(attrs: &[Attribute]) -> syn::Result<Option<TokenStream>> {
    match attrs.iter().find_map(conditional) {
        Some(doc) => Err(syn::Error::new_spanned(
            doc,
            "a description cannot be conditional: write a plain doc comment, `description = …` for the whole of it, or two methods with `#[cfg]`",
        )),
        None => Ok(said(attrs)),
    }
}

/// The first `doc = …` in `#[cfg_attr(…)]`.
fn conditional(attr: &Attribute) -> Option<Meta> {
    conditional_meta(&attr.meta)
}

fn conditional_meta(meta: &Meta) -> Option<Meta> {
    let Meta::List(list) = meta else {
        return None;
    };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    metas.into_iter().skip(1).find_map(|meta| match &meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(meta),
        meta => conditional_meta(meta),
    })
}

fn said(attrs: &[Attribute]) -> Option<TokenStream> {
    let pieces: Vec<_> = attrs.iter().filter_map(piece).collect();
    let blank = |piece: &&Piece<'_>| matches!(piece, Piece::Text(text) if text.trim().is_empty());
    let start = pieces.iter().take_while(blank).count();
    let end = pieces.len() - pieces.iter().rev().take_while(blank).count();
    let pieces = pieces.get(start..end).filter(|rest| !rest.is_empty())?;
    Some(joined(pieces))
}

enum Piece<'a> {
    Text(String),
    /// `include_str!(…)` and the like: only the compiler knows what it says.
    Macro(&'a Expr),
}

/// One `#[doc = …]`, which is one line of `///`, or several of `/** */`.
fn piece(attr: &Attribute) -> Option<Piece<'_>> {
    let Meta::NameValue(pair) = &attr.meta else {
        return None;
    };
    if !attr.path().is_ident("doc") {
        return None;
    }
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = crate::args::ungrouped(&pair.value) else {
        return Some(Piece::Macro(&pair.value));
    };
    let text = text.value();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix(' ').unwrap_or(first);
    let lines = [first].into_iter().chain(unindented(lines.collect()));
    let text = lines.map(str::trim_end).collect::<Vec<_>>().join("\n");
    Some(Piece::Text(text.trim_matches('\n').to_owned()))
}

/// The further lines of `/** */`, without what puts them below the first: their common indent, or a column of ` * `.
fn unindented(mut lines: Vec<&str>) -> Vec<&str> {
    let decorated = |line: &str| line.trim_start().starts_with("* ") && line.starts_with(' ');
    let is_blank = |line: &str| matches!(line.trim(), "" | "*");
    if lines.iter().all(|line| is_blank(line) || decorated(line)) {
        for line in &mut lines {
            *line = line.trim_start().trim_start_matches('*');
        }
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let said = lines.iter().filter(|line| !line.trim().is_empty());
    let common = said.map(|line| indent(line)).min().unwrap_or(0);
    lines.into_iter().map(|line| line.get(common..).unwrap_or_else(|| line.trim_start())).collect()
}

fn joined(pieces: &[Piece<'_>]) -> TokenStream {
    // Texts next to each other become one literal.
    let mut parts = Vec::new();
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        match piece {
            Piece::Text(line) => text.push_str(line),
            Piece::Macro(expr) => {
                let before = std::mem::take(&mut text);
                parts.extend((!before.is_empty()).then(|| before.to_token_stream()));
                parts.push(expr.to_token_stream());
            }
        }
    }
    parts.extend((!text.is_empty()).then(|| text.trim_end().to_token_stream()));
    match parts.as_slice() {
        [only] => only.clone(),
        parts => quote!(::core::concat!(#(#parts),*)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn text(attrs: &[Attribute]) -> Option<String> {
        description(attrs).unwrap().map(|tokens| tokens.to_string())
    }

    #[test]
    fn lines_are_joined_and_lose_one_space() {
        let attrs: [Attribute; 3] = [
            parse_quote!(#[doc = " Capture:"]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "   * the name"]),
        ];
        assert_eq!(text(&attrs).as_deref(), Some(r#""Capture:\n\n  * the name""#));
    }

    #[test]
    fn blocks_lose_their_indent_and_their_stars() {
        let text_of = |doc: &str| text(&[parse_quote!(#[doc = #doc])]);
        for doc in [
            " Capture:\n        the name\n          in full\n    ",
            "\n     * Capture:\n     * the name\n     *   in full\n     ",
        ] {
            let text = text_of(doc).unwrap_or_default();
            let text = text.replace("\\n", "|").replace(['"', ' '], "");
            assert_eq!(text.trim_matches('|'), "Capture:|thename|infull");
        }
        assert_eq!(
            text_of(" A list:\n* one\n* two").as_deref(),
            Some(r#""A list:\n* one\n* two""#)
        );
        assert_eq!(
            text_of("\n     * One\n     *\n     *   two\n     ").as_deref(),
            Some(r#""One\n\n  two""#)
        );
        assert_eq!(text_of(""), None);
        assert_eq!(text_of("\n  é\n ü").as_deref(), Some(r#"" é\nü""#));
    }

    #[test]
    fn nothing_said_is_no_description() {
        assert_eq!(text(&[parse_quote!(#[doc(hidden)])]), None);
        assert_eq!(text(&[parse_quote!(#[doc = " "]), parse_quote!(#[doc = ""])]), None);
    }

    #[test]
    fn a_conditional_doc_is_refused_and_other_conditions_are_not() {
        for attr in [
            parse_quote!(#[cfg_attr(all(), doc = "second")]),
            parse_quote!(#[cfg_attr(all(), allow(dead_code), doc = include_str!("x"))]),
            parse_quote!(#[cfg_attr(a, cfg_attr(b, doc = "second"))]),
        ] {
            let error = description(&[parse_quote!(#[doc = "First."]), attr]).unwrap_err();
            assert!(error.to_string().starts_with("a description cannot be conditional"));
        }
        for attr in [
            parse_quote!(#[cfg_attr(docsrs, doc(cfg(feature = "x")))]),
            parse_quote!(#[cfg_attr(all(), allow(dead_code))]),
        ] {
            let attrs = [parse_quote!(#[doc = "First."]), attr];
            assert_eq!(text(&attrs).as_deref(), Some("\"First.\""));
        }
    }

    #[test]
    fn macros_are_left_to_the_compiler() {
        let attrs: [Attribute; 3] = [
            parse_quote!(#[doc = " Before."]),
            parse_quote!(#[doc = include_str!("more.md")]),
            parse_quote!(#[doc = " After."]),
        ];
        assert_eq!(
            text(&attrs).as_deref(),
            Some(r#":: core :: concat ! ("Before.\n" , include_str ! ("more.md") , "\nAfter.")"#)
        );
        assert_eq!(text(&attrs[1..2]).as_deref(), Some(r#"include_str ! ("more.md")"#));
    }
}
