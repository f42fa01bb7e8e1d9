//! The rows of a block.

use super::{arguments, handler};
use crate::{
    krate::Krate,
    model::{Definition, Exposure, Hook, Method, Purpose, Reference, Set, Target, Tool, ToolBlock},
};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;

/// A `Block` with everything that the model knows.
pub(super) fn block(model: &ToolBlock) -> TokenStream {
    let ToolBlock { krate, methods, hooks, references, .. } = model;
    let private = krate.private(Span::call_site());
    let rows = methods.iter().map(|method| handler::row(method, krate));
    let tools = methods.iter().flat_map(|method| tool_rows(method, krate));
    let groups = methods.iter().flat_map(|method| group_rows(method, krate));
    let definitions = methods.iter().flat_map(|method| definition_rows(method, krate));
    let hooks = hooks.iter().map(|Hook { name, cfgs }| quote!(#(#cfgs)* #name));
    let references = references.iter().map(|reference| reference_row(reference, krate));
    quote! {
        #private::Block {
            methods: &[#(#rows),*],
            tools: &[#(#tools),*],
            groups: &[#(#groups),*],
            definitions: &[#(#definitions),*],
            hooks: &[#(#hooks),*],
            references: &[#(#references),*],
        }
    }
}

fn tool_rows(method: &Method, krate: &Krate) -> Vec<TokenStream> {
    let Exposure::Tools(tools) = &method.exposure else {
        return Vec::new();
    };
    let private = krate.private(Span::call_site());
    let (cfgs, owner) = (&method.cfgs, method.ident.unraw().to_string());
    let row = |Tool { name, overrides, .. }: &Tool| quote!(#(#cfgs)* #private::ToolRow { tool: #name, method: #owner, overrides: #overrides });
    tools.iter().map(row).collect()
}

fn group_rows(method: &Method, krate: &Krate) -> Vec<TokenStream> {
    let Exposure::Sets(sets) = &method.exposure else {
        return Vec::new();
    };
    let private = krate.private(Span::call_site());
    let (cfgs, owner) = (&method.cfgs, method.ident.unraw().to_string());
    let row = |Set { names, .. }: &Set| quote!(#(#cfgs)* #private::GroupRow { names: &[#(#names),*], method: #owner });
    sets.iter().map(row).collect()
}

fn definition_rows(method: &Method, krate: &Krate) -> Vec<TokenStream> {
    let Exposure::Tools(tools) = &method.exposure else {
        return Vec::new();
    };
    let private = krate.private(Span::call_site());
    let (cfgs, owner) = (&method.cfgs, method.ident.unraw().to_string());
    let row = |Tool { name, definition, .. }: &Tool| {
        let definition = definition.as_ref()?;
        let Definition { description, schema, is_strict, is_lenient } = definition;
        // Without one of its own it has that of the method.
        let schema = schema.as_ref().map(|path| arguments::schema_by(path, krate));
        let schema = arguments::option(schema.as_ref());
        Some(quote! {
            #(#cfgs)*
            #private::DefinitionRow {
                tool: #name,
                method: #owner,
                description: #description,
                schema: #schema,
                strict: #is_strict,
                lenient: #is_lenient,
            }
        })
    };
    tools.iter().filter_map(row).collect()
}

fn reference_row(reference: &Reference, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let Reference { method, cfgs, target, purpose } = reference;
    let target = match target {
        Target::Type(name) => quote!(#private::Target::Type(#name)),
        Target::Id(name) => quote!(#private::Target::Id(#name)),
    };
    let purpose = match purpose {
        Purpose::Go => quote!(Go),
        Purpose::Child => quote!(Child),
        Purpose::Mention => quote!(Mention),
    };
    quote! {
        #(#cfgs)*
        #private::Reference {
            method: #method,
            target: #target,
            purpose: #private::Purpose::#purpose,
        }
    }
}
