//! Tool names: what a provider accepts, said at the literal.

use std::collections::BTreeSet;
use syn::LitStr;

/// What every provider takes.
const LONGEST: usize = 64;

/// Rejects a name that no provider takes. `blank` is what to say of an empty one.
pub(super) fn check(name: &LitStr, blank: &str) -> syn::Result<()> {
    let text = name.value();
    if text.trim().is_empty() {
        return Err(syn::Error::new_spanned(name, blank));
    }
    if let Some(wrong) = text.chars().find(|&c| !is_allowed(c)) {
        return Err(syn::Error::new_spanned(
            name,
            format_args!(
                "{wrong:?} cannot stand in the tool name '{text}': use letters, digits, `_` and `-` of ASCII"
            ),
        ));
    }
    if text.len() > LONGEST {
        return Err(syn::Error::new_spanned(
            name,
            format_args!(
                "a tool name has at most {LONGEST} characters, this one has {}",
                text.len()
            ),
        ));
    }
    Ok(())
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The names of a set, sorted; every fault in them at its literal.
pub(super) fn set(names: &[LitStr]) -> syn::Result<Vec<String>> {
    let mut errors = crate::errors::Errors::default();
    let mut sorted = BTreeSet::new();
    for name in names {
        if errors.take(check(name, "#[tools] requires non-empty tool names.")).is_some()
            && !sorted.insert(name.value())
        {
            errors.at(
                name,
                format_args!("#[tools] cannot declare tool '{}' more than once.", name.value()),
            );
        }
    }
    errors.finish()?;
    Ok(sorted.into_iter().collect())
}
