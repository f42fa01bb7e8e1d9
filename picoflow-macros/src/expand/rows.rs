//! The rows of a block.

use super::{arguments, handler, located_at};
use crate::{
    krate::Krate,
    lower::{NO_ANSWER, no_field},
    model::{
        Definition, Field, Hook, Method, Plain, Purpose, Reference, Set, Target, Tool, ToolBlock,
    },
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Type, ext::IdentExt, spanned::Spanned};

/// A `Block` with everything that the model knows.
pub(super) fn block(model: &ToolBlock) -> TokenStream {
    let ToolBlock { krate, methods, plain, hooks, references, .. } = model;
    let private = krate.private(Span::call_site());
    let exposed =
        methods.iter().flat_map(|method| method.tools().iter().map(move |row| (row, method)));
    let sets = methods.iter().flat_map(|method| method.sets().iter().map(move |set| (set, method)));
    let tools = exposed.clone().map(|(row, method)| tool(row, method, &private));
    let definitions = exposed.filter_map(|(row, method)| definition(row, method, krate));
    let groups = sets.map(|(set, method)| group(set, method, krate));
    let hooks = hooks.iter().map(|Hook { name, cfgs }| quote!(#(#cfgs)* #name));
    let plain = plain.iter().map(|row| {
        let method = methods.iter().find(|method| method.name() == row.name);
        plain_row(row, method, krate)
    });
    let references = references.iter().map(|reference| reference_row(reference, krate));
    quote! {
        #private::Block {
            tools: &[#(#tools),*],
            groups: &[#(#groups),*],
            definitions: &[#(#definitions),*],
            hooks: &[#(#hooks),*],
            plain: &[#(#plain),*],
            references: &[#(#references),*],
        }
    }
}

/// `const { &[Method { … }, …] }`.
pub(super) fn methods(model: &ToolBlock) -> TokenStream {
    let rows = model.methods.iter().map(|method| handler::row(method, &model.krate));
    quote!(const { &[#(#rows),*] })
}

/// The row of a `#[tool]`.
pub(super) fn tool(tool: &Tool, method: &Method, private: &TokenStream) -> TokenStream {
    let Tool { name, overrides, .. } = tool;
    let (cfgs, owner) = (&method.cfgs, method.name());
    quote!(#(#cfgs)* #private::ToolRow { tool: #name, method: #owner, overrides: #overrides })
}

fn group(set: &Set, method: &Method, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let (cfgs, owner, names) = (&method.cfgs, method.name(), &set.names);
    quote!(#(#cfgs)* #private::GroupRow { names: &[#(#names),*], method: #owner })
}

fn definition(tool: &Tool, method: &Method, krate: &Krate) -> Option<TokenStream> {
    let definition = tool.definition.as_ref()?;
    let private = krate.private(Span::call_site());
    let (cfgs, owner, name) = (&method.cfgs, method.name(), &tool.name);
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
}

fn plain_row(row: &Plain, method: Option<&Method>, krate: &Krate) -> TokenStream {
    let private = krate.private(Span::call_site());
    let Plain { name, cfgs, fault, is_documented, is_called } = row;
    let probed = method.and_then(|method| Some((method, method.probed()?)));
    let fault = match (fault, probed) {
        (Some(fault), _) => quote!(::core::option::Option::Some(#fault)),
        (None, Some((method, output))) => probed_fault(method, output, krate),
        (None, None) => quote!(::core::option::Option::None),
    };
    quote! {
        #(#cfgs)*
        #private::PlainRow {
            method: #name,
            fault: #fault,
            is_documented: #is_documented,
            is_called: #is_called,
        }
    }
}

/// What the types say: whether each parameter can be read, and whether the answer is one.
fn probed_fault(method: &Method, output: &Type, krate: &Krate) -> TokenStream {
    let imported = arguments::probe(method, krate);
    let fields = method.shape.fields().map(|Field { ident, ty, .. }| {
        let span = located_at(ty.span());
        let private = krate.private(span);
        let fault = no_field(&ident.unraw().to_string());
        quote_spanned! {span=>
            if #private::Probe::<#ty>::FIELD.is_none() {
                ::core::option::Option::Some(#fault)
            } else
        }
    });
    let span = located_at(method.shape.output_span);
    let private = krate.private(span);
    let answers = quote_spanned!(span=> #private::Probe::<#output>::ANSWERS);
    quote! {{
        #imported
        #(#fields)*
        if #answers {
            ::core::option::Option::None
        } else {
            ::core::option::Option::Some(#NO_ANSWER)
        }
    }}
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
        Purpose::Hide => quote!(Hide),
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
