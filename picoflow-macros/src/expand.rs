//! Model to code.

mod arguments;
mod call;
mod handler;
mod native;
mod rows;

use crate::{
    args::BlockArgs,
    block::{Home, ImplBlock, Member, Method, Syntax},
    check,
    errors::Errors,
    kind::Kind,
    lower::{lower, lower_function},
    misplaced,
    model::{Role, ToolBlock},
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{LitStr, Path, spanned::Spanned};

pub(crate) fn tools(args: TokenStream, item: &TokenStream) -> TokenStream {
    if misplaced::is_marker(&args) {
        return TokenStream::new();
    }
    let mut block: ImplBlock = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => return misplaced::tools(&error, item),
    };
    let mut errors = Errors::default();
    let args = errors.take(BlockArgs::parse(args));
    let mut model = lower(args, &mut block, &mut errors);
    check::reject_shared_names(&mut model.methods, &mut errors);
    let expansion = Expansion { model: &model, block: &block };
    let written = expansion.users_block();
    let inherent = expansion.inherent_block();
    let beside = expansion.beside();
    let markers = markers(&model.markers);
    let errors = errors.into_tokens();
    // The user's code comes first and always, so that an IDE resolves it even next to errors.
    quote!(#written #inherent #errors #beside #markers)
}

/// `#[tool]` that no `#[tools]` consumed: on a free function, or in the wrong place.
pub(crate) fn tool(args: TokenStream, item: &TokenStream) -> TokenStream {
    if misplaced::is_marker(&args) {
        return TokenStream::new();
    }
    match syn::parse2(item.clone()) {
        Ok(Member { syntax: Syntax::Method(function), .. }) => {
            if function.is_associated() {
                misplaced::method(*function)
            } else {
                linked_function(args, *function)
            }
        }
        _ => misplaced::tool(item, |block| tools(TokenStream::new(), block)),
    }
}

fn linked_function(args: TokenStream, mut function: Method) -> TokenStream {
    let mut errors = Errors::default();
    let mut model = lower_function(args, &mut function, &mut errors);
    check::reject_shared_names(model.function.as_mut_slice(), &mut errors);
    let linked = native::linked(&model);
    let markers = markers(&model.markers);
    let errors = errors.into_tokens();
    quote!(#function #errors #linked #markers)
}

struct Expansion<'a> {
    model: &'a ToolBlock,
    block: &'a ImplBlock,
}

impl Expansion<'_> {
    /// The block as the user wrote it, without what is no member of the trait, and with what the trait asks for.
    fn users_block(&self) -> TokenStream {
        let ImplBlock { attrs, impl_token, generics, trait_, self_ty, brace, .. } = self.block;
        let trait_ = trait_.as_ref().map(|(path, for_)| quote!(#path #for_));
        let where_clause = &generics.where_clause;
        let members = self.members(Home::Block);
        let consts = self.consts();
        let mut code = quote!(#(#attrs)* #impl_token #generics #trait_ #self_ty #where_clause);
        brace.surround(&mut code, |code| code.extend(quote!(#(#members)* #consts)));
        code
    }

    /// The methods that are no members of the trait.
    fn inherent_block(&self) -> Option<TokenStream> {
        let mut members = self.members(Home::Inherent).peekable();
        members.peek()?;
        let (cfgs, lints) = (&self.model.cfgs, &self.model.lints);
        let (impl_generics, _, where_clause) = self.block.generics.split_for_impl();
        let self_ty = &self.block.self_ty;
        Some(quote! {
            #(#cfgs)*
            #(#lints)*
            impl #impl_generics #self_ty #where_clause {
                #(#members)*
            }
        })
    }

    fn members(&self, home: Home) -> impl Iterator<Item = &dyn ToTokens> {
        self.block
            .members
            .iter()
            .filter(move |member| member.home == home)
            .map(|member| &member.syntax as &dyn ToTokens)
    }

    /// `ID`, `TABLE` and `__methods`.
    fn consts(&self) -> Option<TokenStream> {
        let Role::Whole { kind, id, parts } = &self.model.role else {
            return None;
        };
        let private = self.model.krate.private(Span::call_site());
        let id_type = format_ident!("{}", kind.id_type());
        let id = id
            .as_ref()
            .map(|id| quote!(const ID: #private::#id_type = #private::#id_type::new(#id);));
        let own = rows::block(self.model);
        // One that does not exist is reported at its name in `parts(…)`.
        let others = parts.iter().map(|part| {
            let span = located_at(part.span());
            let private = self.model.krate.private(span);
            let key = key(part);
            quote_spanned!(span=> <Self as #private::check::Part<#key>>)
        });
        let others: Vec<_> = others.collect();
        let methods = (*kind != Kind::LogicStep).then(|| {
            let (own, places) = (rows::methods(self.model), 1..=others.len());
            let body = quote! {
                match __picoflow_block {
                    0 => #own,
                    #(#places => #others::__methods(),)*
                    _ => &[],
                }
            };
            self.shared(&quote!(__methods(__picoflow_block: usize)), &quote!(Method), &body)
        });
        Some(quote! {
            #id
            #[doc(hidden)]
            const TABLE: #private::ToolTable = #private::ToolTable {
                blocks: &[#own, #(#others::BLOCK),*],
                parts: &[#(#parts),*],
            };
            #methods
        })
    }

    /// What stands outside the user's block: the rows of a part, and the checks.
    fn beside(&self) -> Option<TokenStream> {
        match &self.model.role {
            Role::Whole { kind, parts, .. } => {
                let listed = parts.iter().map(|part| self.listed(part));
                let check = self.check(*kind);
                Some(quote!(#(#listed)* #check))
            }
            Role::Part(part) => Some(self.part(part)),
            Role::Collection => Some(self.collection()),
            Role::Misplaced => None,
        }
    }

    /// Says that the step lists the part: what the part asks for.
    fn listed(&self, part: &LitStr) -> TokenStream {
        let private = self.model.krate.private(Span::call_site());
        let key = key(part);
        self.derived(Span::call_site(), &quote!(#private::check::Listed<#key>), &TokenStream::new())
    }

    /// The checks over all blocks. They stand here so that they are reported in the user's file; a generic
    /// step has no one table, and is checked by the core where it is used.
    fn check(&self, kind: Kind) -> Option<TokenStream> {
        if !self.block.generics.params.is_empty() {
            return None;
        }
        let span = self.block.impl_token.span;
        let private = self.model.krate.private(span);
        let check = match kind {
            Kind::Step => quote_spanned!(span=> step),
            Kind::Flow => quote_spanned!(span=> flow),
            Kind::LogicStep => return None,
        };
        let cfgs = &self.model.cfgs;
        let self_ty = &self.block.self_ty;
        Some(quote_spanned! {span=>
            #(#cfgs)*
            const _: () = #private::check::#check::<#self_ty>();
        })
    }

    fn part(&self, part: &LitStr) -> TokenStream {
        let span = located_at(part.span());
        let private = self.model.krate.private(Span::call_site());
        let private_at_name = self.model.krate.private(span);
        let (key, rows) = (key(part), rows::block(self.model));
        let listed = quote_spanned!(span=> <Self as #private_at_name::check::Listed<#key>>::LISTED);
        let methods =
            self.shared(&quote!(__methods()), &quote!(Method), &rows::methods(self.model));
        let block = quote! {
            const BLOCK: #private::Block = {
                let () = #listed;
                #rows
            };
            #methods
        };
        self.derived(Span::call_site(), &quote!(#private::check::Part<#key>), &block)
    }

    fn collection(&self) -> TokenStream {
        let span = located_at(self.block.impl_token.span);
        let private = self.model.krate.private(span);
        let at = located_at(self.block.self_ty.span());
        let private_at_type = self.model.krate.private(at);
        let collect = quote_spanned!(at=> #private_at_type::collect_rows);
        let rows = self.shared(&quote!(__rows()), &quote!(NativeRow), &native::rows(self.model));
        let members = quote_spanned! {span=>
            const COLLECT: fn(#private::Arc<Self>) -> #private::Vec<#private::NativeTool> = #collect;
            #rows
        };
        let tools = self.derived(span, &quote_spanned!(span=> #private::ToolCollection), &members);
        let check = native::check(self.model, self.block.impl_token.span);
        quote!(#tools #check)
    }

    /// The function that gives rows with handlers, which any thread may call. It is there only for a type that allows
    /// that, so that one which does not is one error, and not one more for each handler. Without the lifetime, a
    /// bound that does not hold would be an error of its own.
    fn shared(
        &self,
        signature: &TokenStream,
        row: &TokenStream,
        rows: &TokenStream,
    ) -> TokenStream {
        let private = self.model.krate.private(Span::call_site());
        quote! {
            #[doc(hidden)]
            fn #signature -> &'static [#private::#row<Self>]
            where
                for<'__picoflow> Self: #private::check::Shared,
            {
                #rows
            }
        }
    }

    /// An impl for the type, which comes and goes with the block and has its lint levels. `span` is where rustc says
    /// that there is another one.
    fn derived(&self, span: Span, trait_: &TokenStream, members: &TokenStream) -> TokenStream {
        let (cfgs, lints) = (&self.model.cfgs, &self.model.lints);
        let (impl_generics, _, where_clause) = self.block.generics.split_for_impl();
        let self_ty = &self.block.self_ty;
        quote_spanned! {span=>
            #(#cfgs)*
            #(#lints)*
            #[automatically_derived]
            impl #impl_generics #trait_ for #self_ty #where_clause {
                #members
            }
        }
    }
}

/// Uses each consumed attribute path once, as `#[path(__consumed)]`.
fn markers(paths: &[Path]) -> TokenStream {
    let marker = |path| {
        quote! {
            #[#path(__consumed)]
            const _: () = ();
        }
    };
    paths.iter().map(marker).collect()
}

/// At the place of `span`, but of this expansion: so that lints take it for written by a macro.
fn located_at(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// The name of a part as a const argument: the 64-bit FNV-1a hash of it, for types cannot hold text.
fn key(part: &LitStr) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    part.value().bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
