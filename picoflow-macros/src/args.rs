//! Arguments of `#[tools(…)]` on a block, and of `#[tool(…)]` and `#[tools([…])]` on a method.
//!
//! What is written, and no more: which arguments make sense together is decided in `lower`.

use crate::errors::Errors;
use darling::{FromMeta, ast::NestedMeta, util::parse_expr};
use proc_macro2::{Span, TokenStream};
use syn::{
    Attribute, Expr, ExprArray, ExprLit, ExprPath, Lit, LitStr, Meta, Path, parse::Parser,
    spanned::Spanned, token::Bracket,
};

/// `#[tools(crate = …, part = "billing")]` or `#[tools(crate = …, parts("billing", "returns"))]`.
#[derive(FromMeta, Default)]
#[darling(default)]
pub(crate) struct BlockArgs {
    #[darling(rename = "crate")]
    pub(crate) krate: Option<Path>,
    pub(crate) part: Option<LitStr>,
    pub(crate) parts: Option<Vec<LitStr>>,
}

impl BlockArgs {
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        if starts_with_list(&tokens) {
            return Err(syn::Error::new_spanned(
                tokens,
                "`#[tools([..])]` marks a method; its impl block takes `#[tools]` without a list",
            ));
        }
        Ok(Self::from_list(&NestedMeta::parse_meta_list(tokens)?)?)
    }
}

/// `#[tool]`, `#[tool("alias", define, …)]`.
#[derive(FromMeta, Default)]
#[darling(default)]
pub(crate) struct ToolArgs {
    /// Where the attribute stands; `None`: it is the one that expands.
    #[darling(skip)]
    pub(crate) at: Option<Span>,
    /// `None`: the name of the method.
    #[darling(with = literal)]
    pub(crate) name: Option<LitStr>,
    /// Where `define` stands, if it does; so the other flags.
    #[darling(with = flag)]
    pub(crate) define: Option<Span>,
    #[darling(with = flag)]
    pub(crate) overrides: Option<Span>,
    #[darling(with = flag)]
    pub(crate) strict: Option<Span>,
    #[darling(with = flag)]
    pub(crate) lenient: Option<Span>,
    #[darling(with = parse_expr::preserve_str_literal, map = Some)]
    pub(crate) description: Option<Expr>,
    #[darling(with = function_path)]
    pub(crate) schema: Option<ExprPath>,
    #[darling(rename = "crate")]
    pub(crate) krate: Option<Path>,
}

impl ToolArgs {
    pub(crate) fn parse(attr: &Attribute) -> syn::Result<Self> {
        Self::read(arguments(attr, "`#[tool(\"name\")]`")?, Some(attr.path().span()))
    }

    /// Of the attribute `at` that place, with `tokens` in its parentheses.
    pub(crate) fn read(tokens: TokenStream, at: Option<Span>) -> syn::Result<Self> {
        if starts_with_list(&tokens) {
            return Err(syn::Error::new_spanned(
                tokens,
                "`#[tool]` takes one name; a handler of several calls at once is `#[tools([..])]`",
            ));
        }
        let (literals, keys): (Vec<_>, Vec<_>) = NestedMeta::parse_meta_list(tokens)?
            .into_iter()
            .partition(|meta| matches!(meta, NestedMeta::Lit(_)));
        let mut errors = Errors::default();
        let args = errors.take(Self::from_list(&keys)).unwrap_or_default();
        let name = errors.take(one_name(&literals, args.name.as_ref()));
        errors.finish()?;
        Ok(Self { at, name: name.flatten(), ..args })
    }
}

/// The names in `#[tools([…])]`.
pub(crate) struct SetArgs {
    pub(crate) names: Vec<LitStr>,
    /// Where the list stands.
    pub(crate) span: Span,
}

impl SetArgs {
    pub(crate) fn parse(attr: &Attribute) -> syn::Result<Self> {
        let tokens = arguments(attr, "`#[tools([\"a\", \"b\"])]`")?;
        if tokens.is_empty() {
            return Err(syn::Error::new_spanned(attr, "#[tools] requires at least one tool name."));
        }
        let Ok(list) = syn::parse2::<ExprArray>(tokens.clone()) else {
            return Err(syn::Error::new_spanned(
                tokens,
                "write the names as one list: `#[tools([\"a\", \"b\"])]`",
            ));
        };
        let mut errors = Errors::default();
        if list.elems.is_empty() {
            errors.at(&list, "#[tools] requires at least one tool name.");
        }
        let names = list.elems.iter();
        let names = names.filter_map(|name| errors.take(string_literal(name))).collect();
        errors.finish()?;
        Ok(Self { names, span: list.span() })
    }
}

fn literal(meta: &Meta) -> darling::Result<Option<LitStr>> {
    Ok(Some(string_literal(&parse_expr::preserve_str_literal(meta)?)?))
}

fn function_path(meta: &Meta) -> darling::Result<Option<ExprPath>> {
    match ungrouped(&parse_expr::preserve_str_literal(meta)?) {
        Expr::Path(path) => Ok(Some(path.clone())),
        other => Err(darling::Error::custom(
            "`schema` takes the path of a function that returns the schema: `schema = user_schema`",
        )
        .with_span(&other.span())),
    }
}

fn flag(meta: &Meta) -> darling::Result<Option<Span>> {
    match meta {
        Meta::Path(path) => Ok(Some(path.span())),
        _ => Err(darling::Error::custom("this key is written without a value").with_span(meta)),
    }
}

/// What stands in the parentheses of `attr`, if there are any.
fn arguments(attr: &Attribute, form: &str) -> syn::Result<TokenStream> {
    match &attr.meta {
        Meta::Path(_) => Ok(TokenStream::new()),
        Meta::List(list) => Ok(list.tokens.clone()),
        Meta::NameValue(pair) => Err(syn::Error::new_spanned(
            pair,
            format_args!("write the name in parentheses: {form}"),
        )),
    }
}

fn starts_with_list(tokens: &TokenStream) -> bool {
    let peek = |input: syn::parse::ParseStream<'_>| {
        let is_list = input.peek(Bracket);
        input.parse::<TokenStream>()?;
        Ok(is_list)
    };
    peek.parse2(tokens.clone()).unwrap_or(false)
}

fn one_name(literals: &[NestedMeta], key: Option<&LitStr>) -> syn::Result<Option<LitStr>> {
    let mut names = Vec::new();
    for literal in literals {
        let NestedMeta::Lit(Lit::Str(name)) = literal else {
            return Err(syn::Error::new_spanned(literal, NOT_A_LITERAL));
        };
        names.push(name.clone());
    }
    names.extend(key.cloned());
    match names.as_slice() {
        [_, second, ..] => Err(syn::Error::new_spanned(
            second,
            "`#[tool]` takes one name: write one `#[tool]` for each",
        )),
        [name] => Ok(Some(name.clone())),
        [] => Ok(None),
    }
}

const NOT_A_LITERAL: &str = "a tool name is a string literal, so that it can be checked here";

fn string_literal(expr: &Expr) -> syn::Result<LitStr> {
    match ungrouped(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
        other => Err(syn::Error::new_spanned(other, NOT_A_LITERAL)),
    }
}

/// The expression without the invisible group that a `macro_rules!` fragment puts around it.
pub(crate) fn ungrouped(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}
