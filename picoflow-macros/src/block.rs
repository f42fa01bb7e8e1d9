//! Syntax of the annotated impl block.
//!
//! Method bodies stay raw tokens: the macro never parses them, so a half-typed body cannot break
//! it, and a large body costs nothing.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};
use syn::{
    Attribute, Generics, Ident, ImplItem, Path, Signature, Token, Type, Visibility, braced,
    ext::IdentExt,
    parse::{Parse, ParseStream, discouraged::Speculative},
    token::Brace,
};

pub(crate) struct ImplBlock {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) impl_token: Token![impl],
    pub(crate) generics: Generics,
    pub(crate) trait_: Option<(Path, Token![for])>,
    pub(crate) self_ty: Box<Type>,
    pub(crate) brace: Brace,
    pub(crate) members: Vec<Member>,
}

pub(crate) struct Member {
    pub(crate) home: Home,
    pub(crate) syntax: Syntax,
}

/// The impl that a member ends up in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// The one that the user wrote.
    Block,
    /// The inherent impl beside a trait impl, for what is no member of the trait.
    Inherent,
    /// None: the expansion writes its own.
    Dropped,
}

pub(crate) enum Syntax {
    Method(Box<Method>),
    Other(Box<ImplItem>),
    /// Half typed: the tokens as they stand, for rustc to report.
    Broken(TokenStream, syn::Error),
}

pub(crate) struct Method {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: Group,
}

impl Parse for ImplBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let impl_token = input.parse()?;
        let mut generics: Generics =
            if has_generics(input) { input.parse()? } else { Generics::default() };
        let first: Type = input.parse()?;
        let (trait_, self_ty) = if let Some(for_) = input.parse::<Option<Token![for]>>()? {
            let Type::Path(path) = ungrouped(&first) else {
                return Err(syn::Error::new_spanned(first, "expected a trait path"));
            };
            (Some((path.path.clone(), for_)), input.parse()?)
        } else {
            (None, Box::new(first))
        };
        generics.where_clause = input.parse()?;
        let content;
        let brace = braced!(content in input);
        let mut members = Vec::new();
        while !content.is_empty() {
            members.push(content.parse()?);
        }
        Ok(Self { attrs, impl_token, generics, trait_, self_ty, brace, members })
    }
}

/// Tells `impl<T> X` from `impl <T as Trait>::Type`, as rustc does.
fn has_generics(input: ParseStream<'_>) -> bool {
    input.peek(Token![<])
        && (input.peek2(Token![>])
            || input.peek2(Token![#])
            || input.peek2(Token![const])
            || (input.peek2(Ident::peek_any) || input.peek2(syn::Lifetime))
                && (input.peek3(Token![:]) && !input.peek3(Token![::])
                    || input.peek3(Token![,])
                    || input.peek3(Token![>])
                    || input.peek3(Token![=])))
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        ahead.call(Attribute::parse_outer)?;
        ahead.parse::<Visibility>()?;
        let syntax = if ahead.parse::<Signature>().is_ok() && ahead.peek(Brace) {
            Syntax::Method(Box::new(input.parse()?))
        } else {
            let ahead = input.fork();
            match ahead.parse() {
                Ok(item) => {
                    input.advance_to(&ahead);
                    Syntax::Other(Box::new(item))
                }
                Err(error) => Syntax::Broken(take_member(input)?, error),
            }
        };
        Ok(Self { home: Home::Block, syntax })
    }
}

impl ImplBlock {
    /// The last segment of the path of the self type.
    pub(crate) fn type_name(&self) -> Option<&Ident> {
        let Type::Path(path) = ungrouped(&self.self_ty) else {
            return None;
        };
        path.path.segments.last().map(|segment| &segment.ident)
    }
}

impl Method {
    /// Whether it can only stand in an impl or a trait. Without a receiver, `Self` in the signature gives it away;
    /// without that too, nothing does.
    pub(crate) fn is_associated(&self) -> bool {
        self.sig.receiver().is_some() || has_word(self.sig.to_token_stream(), "Self")
    }
}

/// Whether the word stands anywhere in the tokens.
pub(crate) fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

impl Parse for Method {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: braces(input.parse()?)
                .ok_or_else(|| input.error("expected the body of the method"))?,
        })
    }
}

/// The braces, which `macro_rules!` wraps into invisible groups. As the token they are: taken apart and put
/// together, they would lose the place of the closing one.
fn braces(token: TokenTree) -> Option<Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            braces(group.stream().into_iter().next()?)
        }
        TokenTree::Group(group) => Some(group),
        _ => None,
    }
}

/// Takes what a member looks like from afar: up to its `{ … }` or `;`.
fn take_member(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    loop {
        let token: TokenTree = input.parse()?;
        let is_last = input.is_empty()
            || match &token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
        tokens.append(token);
        if is_last {
            return Ok(tokens);
        }
    }
}

/// The type without parentheses and the invisible groups of `macro_rules!` fragments.
pub(crate) fn ungrouped(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        }
    }
}

/// The attributes of a member that is no method.
pub(crate) fn attrs_mut(item: &mut ImplItem) -> Option<&mut Vec<Attribute>> {
    match item {
        ImplItem::Const(item) => Some(&mut item.attrs),
        ImplItem::Fn(item) => Some(&mut item.attrs),
        ImplItem::Type(item) => Some(&mut item.attrs),
        ImplItem::Macro(item) => Some(&mut item.attrs),
        _ => None,
    }
}

impl ToTokens for Syntax {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Method(method) => method.to_tokens(tokens),
            Self::Other(item) => item.to_tokens(tokens),
            Self::Broken(broken, _) => broken.to_tokens(tokens),
        }
    }
}

impl ToTokens for Method {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
