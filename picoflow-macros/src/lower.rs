//! Syntax to model: takes our attributes off, applies the defaults, reports what makes no sense in itself.

mod attributes;
mod definition;
mod docs;
mod function;
mod hooks;
mod names;
mod owner;
mod parameters;
mod plain;
mod role;
mod signature;

pub(crate) use function::lower_function;
pub(crate) use plain::{NO_ANSWER, no_field};
pub(crate) use role::BELONGS;

use crate::{
    args::BlockArgs,
    block::{Home, ImplBlock, Member, Method as Syntax, Syntax as MemberSyntax, attrs_mut},
    errors::Errors,
    kind::Kind,
    krate::Krate,
    misplaced::without_ours,
    model::{
        Exposure, Hook, Method, Parameter, Plain, Purpose, Reference, Role, Shape, Target,
        ToolBlock,
    },
    references,
};
use owner::Owner;
use syn::{Attribute, Generics, ImplItem, ext::IdentExt, parse_quote};

/// `args` is `None` when they had an error.
pub(crate) fn lower(
    args: Option<BlockArgs>,
    block: &mut ImplBlock,
    errors: &mut Errors,
) -> ToolBlock {
    let krate = Krate::new(args.as_ref().and_then(|args| args.krate.as_ref()));
    let role = role::of(args, block, errors);
    for again in attributes::take(&mut block.attrs, errors) {
        errors.at(again, "a block has one `#[tools]`: leave this one out");
    }
    let mut lowering = Lowering {
        own: own_step(&role, block),
        generics: block.generics.clone(),
        model: ToolBlock {
            krate,
            role,
            cfgs: attributes::cfgs(&block.attrs),
            lints: attributes::lints(&block.attrs),
            methods: Vec::new(),
            plain: Vec::new(),
            hooks: Vec::new(),
            references: Vec::new(),
            markers: Vec::new(),
        },
    };
    for member in &mut block.members {
        lowering.member(member, errors);
    }
    let Lowering { mut model, .. } = lowering;
    plain::mark_called(&mut model.plain, &block.members);
    if matches!(model.role, Role::Collection) && model.markers.is_empty() && errors.is_empty() {
        errors.at(
            &block.self_ty,
            "no method of this collection carries `#[tool]`; a further block of a step is `#[tools(part = \"…\")]`",
        );
    }
    model
}

/// Takes what is ours off a method that cannot be a tool, so that nothing of it is reported again.
pub(crate) fn strip(method: &mut Syntax) {
    let mut nobody_reads = Errors::default();
    attributes::take(&mut method.attrs, &mut nobody_reads);
    // Reading takes off the attributes of the parameters.
    let shape = signature::of_tool(&mut method.sig, &Generics::default(), Owner::Step);
    drop((shape, nobody_reads));
}

/// The step that `Self` is.
fn own_step(role: &Role, block: &ImplBlock) -> Option<String> {
    let is_flow = matches!(role, Role::Whole { kind: Kind::Flow, .. });
    let name = block.type_name().filter(|_| !is_flow)?;
    Some(name.unraw().to_string())
}

struct Lowering {
    /// The step that `Self` is.
    own: Option<String>,
    generics: Generics,
    /// What is understood so far.
    model: ToolBlock,
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
                if let (Role::Whole { .. }, Home::Block) = (&self.model.role, *home) {
                    self.model.hooks.push(Hook {
                        name: signature::method_name(&method.sig),
                        cfgs: attributes::cfgs(&method.attrs),
                    });
                    if let Role::Whole { kind: Kind::Step, .. } = self.model.role {
                        hooks::own_native_tools(method, &self.model.krate);
                    }
                }
                if hooks::check(method, &attrs, &self.model.role, errors) {
                    let read = self.method(method, &attrs, errors);
                    self.model.methods.extend(read);
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
                    let name = if attributes::is_named(attr, "tools") { "tools" } else { "tool" };
                    let what = match self.model.role {
                        Role::Collection => "the methods of a collection",
                        _ => "step methods",
                    };
                    errors.at(attr, format_args!("#[{name}] can only mark {what}."));
                }
                self.mark(&attrs.unwrap_or_default());
                *home = self.home_of_other(item, errors);
            }
        }
    }

    /// Keeps each consumed path once.
    fn mark(&mut self, attrs: &[Attribute]) {
        for path in attrs.iter().map(Attribute::path) {
            if !self.model.markers.contains(path) {
                self.model.markers.push(path.clone());
            }
        }
    }

    fn refer(&mut self, method: &Syntax) {
        let mut found = references::find(method.body.stream(), self.own.as_deref());
        if method.sig.ident == "hide_tools" && hooks::is_hook(method, &self.model.role) {
            let hidden = references::hidden(method.body.stream());
            found.extend(hidden.into_iter().map(|name| (Target::Id(name), Purpose::Hide)));
        }
        self.model.references.extend(found.into_iter().map(|(target, purpose)| Reference {
            method: signature::method_name(&method.sig),
            cfgs: attributes::cfgs(&method.attrs),
            target,
            purpose,
        }));
    }

    fn home_of_method(&self, method: &Syntax, attrs: &[Attribute]) -> Home {
        match self.model.role {
            Role::Whole { .. } if attrs.is_empty() && hooks::is_hook(method, &self.model.role) => {
                Home::Block
            }
            Role::Misplaced if !attrs.is_empty() => Home::Inherent,
            _ => self.home_of_unknown(),
        }
    }

    /// Where a member goes that is not known to be one of the trait's.
    fn home_of_unknown(&self) -> Home {
        match self.model.role {
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
        if !matches!(self.model.role, Role::Whole { .. }) {
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

    /// A method without an attribute: a handler, a helper, or what its types make of it.
    fn plain(&mut self, method: &mut Syntax) -> Option<Method> {
        let form = plain::form(&method.sig, &self.generics);
        let (read, fault) = match form {
            plain::Form::Handler(shape) => {
                (Some(understood(method, shape, Exposure::ByName)), None)
            }
            plain::Form::ByTypes(shape, output) => {
                (Some(understood(method, shape, Exposure::ByTypes(output))), None)
            }
            plain::Form::Helper(fault) => (None, Some(fault)),
        };
        self.model.plain.push(Plain {
            name: signature::method_name(&method.sig),
            cfgs: attributes::cfgs(&method.attrs),
            fault,
            is_documented: !matches!(docs::description(&method.attrs), Ok(None)),
            is_called: false,
        });
        read
    }

    fn method(
        &mut self,
        method: &mut Syntax,
        attrs: &[Attribute],
        errors: &mut Errors,
    ) -> Option<Method> {
        if let Role::Whole { kind: Kind::LogicStep, .. } = self.model.role {
            for attr in attrs {
                errors.at(attr, "a logic step calls no model: it has no tools");
            }
            return None;
        }
        let owner = match self.model.role {
            Role::Collection => Owner::Collection,
            Role::Whole { kind: Kind::Flow, .. } => Owner::Flow,
            _ => Owner::Step,
        };
        if attrs.is_empty() {
            return if owner.is_native() { None } else { self.plain(method) };
        }
        if owner.is_native() && signature::reject_response(&method.sig, errors) {
            strip(method);
            return None;
        }
        let shape = signature::of_tool(&mut method.sig, &self.generics, owner);
        if let Role::Misplaced = self.model.role {
            // What the tool belongs to is unknown, and with it what is right.
            return None;
        }
        // Both are read before either gives up, so that both are reported.
        let shape = errors.take(shape);
        let exposure = attributes::exposure(None, attrs, method, owner, errors);
        let (shape, exposure) = (shape?, exposure?);
        errors.take(fits(&shape, &exposure, method))?;
        Some(understood(method, shape, exposure))
    }
}

/// The method, once nothing about it is wrong.
fn understood(method: &mut Syntax, shape: Shape, exposure: Exposure) -> Method {
    // A tool takes `&self` whether it needs it or not, and its arguments by value: they were read for it. As a
    // function it cannot be `const`. What only its types tell from a helper is treated like one.
    method.attrs.push(parse_quote!(#[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]));
    Method {
        ident: method.sig.ident.clone(),
        cfgs: attributes::cfgs(&method.attrs),
        shape,
        exposure,
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
