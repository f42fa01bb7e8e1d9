//! Rules that need more than one method.

use crate::{
    errors::Errors,
    model::{Exposure, Method, Set, Tool},
};
use std::collections::BTreeMap;
use syn::ext::IdentExt;

/// Rejects a tool or a set that two methods of the block handle, and drops the second row.
pub(crate) fn reject_shared_names(methods: &mut [Method], errors: &mut Errors) {
    let mut tools = BTreeMap::new();
    let mut sets = BTreeMap::new();
    // Methods under `#[cfg]` may exclude each other: const evaluation checks those that remain.
    for method in methods.iter_mut().filter(|method| method.cfgs.is_empty()) {
        let owner = method.ident.unraw().to_string();
        match &mut method.exposure {
            Exposure::Tools(rows) => rows.retain(|Tool { name, .. }| {
                let Some(first) = tools.get(&name.value()) else {
                    tools.insert(name.value(), owner.clone());
                    return true;
                };
                errors.at(
                    name,
                    format_args!(
                        "Tool '{}' is already handled by method '{first}'.",
                        name.value()
                    ),
                );
                false
            }),
            Exposure::Sets(rows) => rows.retain(|Set { names, span }| {
                let Some(first) = sets.get(names) else {
                    sets.insert(names.clone(), owner.clone());
                    return true;
                };
                errors.push(syn::Error::new(
                    *span,
                    format_args!(
                        "Tools '[\"{}\"]' are already handled by method '{first}'.",
                        names.join("\",\"")
                    ),
                ));
                false
            }),
            Exposure::ByName => {}
        }
    }
}
