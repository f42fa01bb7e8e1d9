//! The hooks of a trait: those in the wrong place, and those that were probably meant.

use super::signature;
use crate::{block::Method, errors::Errors, kind::Kind, krate::Krate, model::Role};
use proc_macro2::{Delimiter, Group, Span};
use quote::quote;
use syn::{Attribute, Visibility};

/// Whether the method is a member of the trait that the block implements.
pub(super) fn is_hook(method: &Method, role: &Role) -> bool {
    let name = signature::method_name(&method.sig);
    matches!(role, Role::Whole { kind, .. } if kind.hooks().contains(&name.as_str()))
}

/// Lets the tools that `native_tools` makes know whose they are: a derived step may take them over.
pub(super) fn own_native_tools(method: &mut Method, krate: &Krate) {
    if method.sig.ident != "native_tools" {
        return;
    }
    let private = krate.private(Span::call_site());
    let body = &method.body;
    let mut owned = Group::new(Delimiter::Brace, quote!(#private::owned::<Self>(|| #body)));
    owned.set_span(body.span());
    method.body = owned;
}

/// Reports a hook that carries an attribute or stands in a part, and a method that was probably meant as a
/// hook. Says whether the method can be a tool.
pub(super) fn check(
    method: &Method,
    attrs: &[Attribute],
    role: &Role,
    errors: &mut Errors,
) -> bool {
    let name = signature::method_name(&method.sig);
    let ident = &method.sig.ident;
    match role {
        Role::Whole { kind, .. } if is_hook(method, role) => {
            if !attrs.is_empty() {
                errors.at(
                    ident,
                    format_args!(
                        "`{name}` is a hook of `{}`: rename the method, and keep the tool's name with `#[tool(\"{name}\")]`",
                        kind.trait_name()
                    ),
                );
            } else if *kind == Kind::Step && name == "model" && method.sig.inputs.len() == 1 {
                errors.at(
                    ident,
                    "`model` of a step chooses by the session: `fn model(&self, cx: &Cx<'_>) -> Option<ModelRef>`. A model for every session stands where the flow lists the step: `.add(TheStep.model(ModelRef::new(..)))`",
                );
            }
            false
        }
        Role::Whole { kind, .. } if may_be_meant_as_hook(method, attrs) => {
            let near = near_miss(&name, *kind);
            if let Some(hook) = near {
                errors.at(
                    ident,
                    format_args!(
                        "`{name}` is no hook of `{}`: did you mean `{hook}`? A helper of this name belongs in an impl block of its own",
                        kind.trait_name()
                    ),
                );
            }
            near.is_none()
        }
        Role::Part(_) if attrs.is_empty() && Kind::Step.hooks().contains(&name.as_str()) => {
            errors.at(
                ident,
                format_args!("`{name}` is a hook of `Step`: move it to the `impl Step` block"),
            );
            false
        }
        _ => true,
    }
}

/// Hooks take `&self`, have no visibility of their own, and do not look like a handler.
fn may_be_meant_as_hook(method: &Method, attrs: &[Attribute]) -> bool {
    attrs.is_empty()
        && matches!(method.vis, Visibility::Inherited)
        && signature::takes_shared_self(&method.sig)
        && signature::of_handler(&method.sig).is_none()
}

/// The hook that `name` comes close to: `on_entr`, `promt`.
fn near_miss(name: &str, kind: Kind) -> Option<&'static str> {
    kind.hooks()
        .iter()
        .map(|hook| (strsim::damerau_levenshtein(name, hook), *hook))
        // Two edits turn `base` into `save`: short names get one.
        .filter(|(distance, hook)| (1..=if hook.len() < 6 { 1 } else { 2 }).contains(distance))
        .min()
        .map(|(_, hook)| hook)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_near() {
        let near = |name| near_miss(name, Kind::Step);
        assert_eq!(near("on_entr"), Some("on_enter"));
        assert_eq!(near("promtp"), Some("prompt"));
        assert_eq!(near("onenter"), Some("on_enter"));
        assert_eq!(near("use_tool"), Some("use_tools"));
        assert_eq!(near_miss("inital_step", Kind::Flow), Some("initial_step"));
    }

    #[test]
    fn other_words_and_hooks_themselves_are_not() {
        for name in ["save", "greet", "on_enter", "describe", "is_valid", "check"] {
            assert_eq!(near_miss(name, Kind::Step), None, "{name}");
        }
    }
}
