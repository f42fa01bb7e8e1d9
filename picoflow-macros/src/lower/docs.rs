//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// What the doc comment says, as an expression; `None` if it says nothing.
pub(super) fn description(attrs: &[Attribute]) -> Option<TokenStream> {
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
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = crate::args::ungrouped(&pair.value)
    else {
        return Some(Piece::Macro(&pair.value));
    };
    let text = text.value();
    let lines = text.lines().map(|line| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.trim_end()
    });
    Some(Piece::Text(lines.collect::<Vec<_>>().join("\n")))
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
        description(attrs).map(|tokens| tokens.to_string())
    }

    #[test]
    fn lines_are_joined_and_lose_one_space() {
        let attrs: [Attribute; 3] = [
            parse_quote!(#[doc = " Capture:"]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "   * the name"]),
        ];
        assert_eq!(
            text(&attrs).as_deref(),
            Some(r#""Capture:\n\n  * the name""#)
        );
    }

    #[test]
    fn nothing_said_is_no_description() {
        assert_eq!(text(&[parse_quote!(#[doc(hidden)])]), None);
        assert_eq!(
            text(&[parse_quote!(#[doc = " "]), parse_quote!(#[doc = ""])]),
            None
        );
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
        assert_eq!(
            text(&attrs[1..2]).as_deref(),
            Some(r#"include_str ! ("more.md")"#)
        );
    }
}
