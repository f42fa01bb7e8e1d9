//! Syntax to model: takes our attributes off, applies the defaults, reports what makes no sense in itself.

mod attributes;
mod docs;
mod hooks;
mod names;
mod parameters;
mod role;
mod signature;

use crate::{
    args::BlockArgs,
    block::{Home, ImplBlock, Member, Method as Syntax, Syntax as MemberSyntax, attrs_mut},
    errors::Errors,
    kind::Kind,
    krate::Krate,
    misplaced::without_ours,
    model::{Exposure, Method, Parameter, Reference, Role, Shape, ToolBlock},
    references,
};
use syn::{Attribute, Generics, ImplItem, Path, ext::IdentExt, parse_quote};

/// `args` is `None` when they had an error.
pub(crate) fn lower(
    args: Option<BlockArgs>,
    block: &mut ImplBlock,
    errors: &mut Errors,
) -> ToolBlock {
    let krate = Krate::new(args.as_ref().and_then(|args| args.krate.as_ref()));
    let role = role::of(args, block, errors);
    let mut lowering = Lowering {
        own: own_step(&role, block),
        role,
        generics: block.generics.clone(),
        methods: Vec::new(),
        references: Vec::new(),
        markers: Vec::new(),
    };
    for member in &mut block.members {
        lowering.member(member, errors);
    }
    ToolBlock {
        krate,
        role: lowering.role,
        cfgs: attributes::cfgs(&block.attrs),
        lints: attributes::lints(&block.attrs),
        methods: lowering.methods,
        references: lowering.references,
        markers: lowering.markers,
    }
}

/// The step that `Self` is.
fn own_step(role: &Role, block: &ImplBlock) -> Option<String> {
    let is_flow = matches!(
        role,
        Role::Whole {
            kind: Kind::Flow,
            ..
        }
    );
    let name = block.type_name().filter(|_| !is_flow)?;
    Some(name.unraw().to_string())
}

struct Lowering {
    role: Role,
    /// The step that `Self` is.
    own: Option<String>,
    generics: Generics,
    methods: Vec<Method>,
    references: Vec<Reference>,
    markers: Vec<Path>,
}

impl Lowering {
    fn member(&mut self, member: &mut Member, errors: &mut Errors) {
        let Member { home, syntax } = member;
        match syntax {
            MemberSyntax::Method(method) => {
                let attrs = attributes::take(&mut method.attrs, errors);
                self.mark(&attrs);
                self.refer(method);
                *home = self.home_of_method(method, &attrs);
                if hooks::check(method, &attrs, &self.role, errors) {
                    self.methods.extend(self.method(method, &attrs, errors));
                }
            }
            MemberSyntax::Broken(tokens, error) => {
                errors.push(error.clone());
                *tokens = without_ours(std::mem::take(tokens));
                *home = self.home_of_unknown();
            }
            MemberSyntax::Other(item) => {
                let attrs = attrs_mut(item).map(|attrs| attributes::take(attrs, errors));
                for attr in attrs.iter().flatten() {
                    errors.at(attr, "#[tool] can only mark step methods.");
                }
                self.mark(&attrs.unwrap_or_default());
                *home = self.home_of_other(item, errors);
            }
        }
    }

    /// Keeps each consumed path once.
    fn mark(&mut self, attrs: &[Attribute]) {
        for path in attrs.iter().map(Attribute::path) {
            if !self.markers.contains(path) {
                self.markers.push(path.clone());
            }
        }
    }

    fn refer(&mut self, method: &Syntax) {
        let found = references::find(method.body.stream(), self.own.as_deref());
        self.references
            .extend(found.into_iter().map(|(target, routes)| Reference {
                method: signature::method_name(&method.sig),
                cfgs: attributes::cfgs(&method.attrs),
                target,
                routes,
            }));
    }

    fn home_of_method(&self, method: &Syntax, attrs: &[Attribute]) -> Home {
        match self.role {
            Role::Whole { .. } if attrs.is_empty() && hooks::is_hook(method, &self.role) => {
                Home::Block
            }
            Role::Misplaced if !attrs.is_empty() => Home::Inherent,
            _ => self.home_of_unknown(),
        }
    }

    /// Where a member goes that is not known to be one of the trait's.
    fn home_of_unknown(&self) -> Home {
        match self.role {
            Role::Whole { .. } => Home::Inherent,
            _ => Home::Block,
        }
    }

    fn home_of_other(&self, item: &ImplItem, errors: &mut Errors) -> Home {
        if let ImplItem::Macro(call) = item {
            errors.at(
                &call.mac.path,
                "`#[tools]` cannot see the methods inside a macro call: write them out, or move the call to another impl block",
            );
        }
        if !matches!(self.role, Role::Whole { .. }) {
            return Home::Block;
        }
        match item {
            ImplItem::Const(item) if item.ident == "TABLE" => {
                errors.at(&item.ident, "`#[tools]` writes the `TABLE`: leave it out");
                Home::Dropped
            }
            ImplItem::Const(item) if item.ident == "ID" => Home::Block,
            ImplItem::Const(_) | ImplItem::Macro(_) => self.home_of_unknown(),
            _ => Home::Block,
        }
    }

    fn method(
        &self,
        method: &mut Syntax,
        attrs: &[Attribute],
        errors: &mut Errors,
    ) -> Option<Method> {
        if let Role::Whole {
            kind: Kind::LogicStep,
            ..
        } = self.role
        {
            for attr in attrs {
                errors.at(attr, "a logic step calls no model: it has no tools");
            }
            return None;
        }
        let (shape, exposure) = if attrs.is_empty() {
            (signature::of_handler(&method.sig)?, Exposure::ByName)
        } else {
            let shape = signature::of_tool(&mut method.sig, &self.generics);
            // Both are read before either gives up, so that both are reported.
            let shape = errors.take(shape);
            let exposure = attributes::exposure(attrs, method, errors);
            (shape?, exposure?)
        };
        errors.take(fits(&shape, &exposure, method))?;
        // A tool takes `&self` whether it needs it or not, and its arguments by value: they were read for it.
        method
            .attrs
            .push(parse_quote!(#[allow(clippy::unused_self, clippy::needless_pass_by_value)]));
        Some(Method {
            ident: method.sig.ident.clone(),
            cfgs: attributes::cfgs(&method.attrs),
            shape,
            exposure,
        })
    }
}

/// Whether the method takes what its attribute gives it.
fn fits(shape: &Shape, exposure: &Exposure, method: &Syntax) -> syn::Result<()> {
    let is_of_one_call =
        |parameter: &Parameter| !matches!(parameter, Parameter::Context | Parameter::Calls);
    match exposure {
        Exposure::Tools(_) if shape.is_group() => Err(syn::Error::new_spanned(
            &method.sig.inputs,
            "`&[ToolCall]` is what a group handler takes: write `#[tools([..])]`, or take one `ToolCall`",
        )),
        Exposure::Sets(_) if shape.parameters.iter().any(is_of_one_call) => {
            Err(syn::Error::new_spanned(
                &method.sig.inputs,
                "a group handler takes `&[ToolCall]` in place of arguments: `call.args::<T>()` reads those of one call",
            ))
        }
        _ => Ok(()),
    }
}
