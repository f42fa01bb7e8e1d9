//! Rules that need more than one method.

use crate::{
    errors::Errors,
    model::{Exposure, Method, Set, Tool},
};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Rejects a tool or a set that two methods of the block handle, and drops the second row. Stable Rust has no
/// error with two places, so the first one gets its own.
pub(crate) fn reject_shared_names(methods: &mut [Method], errors: &mut Errors) {
    let mut tools = BTreeMap::new();
    let mut sets = BTreeMap::new();
    let mut shared = BTreeSet::new();
    // Methods under `#[cfg]` may exclude each other: const evaluation checks those that remain.
    for method in methods.iter_mut().filter(|method| method.cfgs.is_empty()) {
        let owner = method.name();
        let mut report = |first: &First, span: Span, what: &str| {
            errors.push(syn::Error::new(
                span,
                format_args!("{what} already handled by method '{}'.", first.method),
            ));
            if shared.insert(what.to_owned()) {
                errors.push(syn::Error::new(first.span, format_args!("{what} first handled here")));
            }
            false
        };
        match &mut method.exposure {
            Exposure::Tools(rows) => rows.retain(|Tool { name, .. }| {
                let Some(first) = tools.get(&name.value()) else {
                    tools.insert(name.value(), First::new(&owner, name.span()));
                    return true;
                };
                report(first, name.span(), &format!("Tool '{}' is", name.value()))
            }),
            Exposure::Sets(rows) => rows.retain(|Set { names, span }| {
                let Some(first) = sets.get(names) else {
                    sets.insert(names.clone(), First::new(&owner, *span));
                    return true;
                };
                report(first, *span, &format!("Tools '[\"{}\"]' are", names.join("\",\"")))
            }),
            Exposure::ByName | Exposure::ByTypes(_) => {}
        }
    }
}

/// Where a name or a set was first met.
struct First {
    method: String,
    span: Span,
}

impl First {
    fn new(method: &str, span: Span) -> Self {
        Self { method: method.to_owned(), span }
    }
}
