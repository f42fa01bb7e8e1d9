//! What the macro knows about a block once it is understood: no attributes to interpret, no defaults
//! left open, no row that has an error.

use crate::{kind::Kind, krate::Krate};
use proc_macro2::{Span, TokenStream};
use syn::{Attribute, ExprPath, Ident, LitStr, Path, Type, ext::IdentExt};

pub(crate) struct ToolBlock {
    pub(crate) krate: Krate,
    pub(crate) role: Role,
    /// The `#[cfg]`s of the block: everything beside it must come and go with it.
    pub(crate) cfgs: Vec<Attribute>,
    /// The lint levels of the block, which hold for its methods wherever they end up.
    pub(crate) lints: Vec<Attribute>,
    pub(crate) methods: Vec<Method>,
    /// The methods without an attribute that are no hooks.
    pub(crate) plain: Vec<Plain>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) references: Vec<Reference>,
    /// The consumed attributes, kept so that the compiler resolves (and an IDE links) their paths.
    pub(crate) markers: Vec<Path>,
}

/// An annotated free function.
pub(crate) struct LinkedFunction {
    pub(crate) krate: Krate,
    /// The lint levels of the function, which hold for its registration too.
    pub(crate) lints: Vec<Attribute>,
    /// `None`: an error says why.
    pub(crate) function: Option<Method>,
    /// The paths of the attributes behind the one that expands.
    pub(crate) markers: Vec<Path>,
}

/// What the block contributes.
pub(crate) enum Role {
    /// The step or flow itself: this block's rows, then those of the parts.
    Whole {
        kind: Kind,
        /// `None`: the user wrote an `ID`, or there is no name to make one of.
        id: Option<String>,
        /// Their names.
        parts: Vec<LitStr>,
    },
    /// The part of this name, which the whole lists.
    Part(LitStr),
    /// Native tools, on an inherent impl.
    Collection,
    /// Nothing: an error says why.
    Misplaced,
}

/// A method, or a free function, that can run for a call.
pub(crate) struct Method {
    pub(crate) ident: Ident,
    /// `#[cfg]`s of the method: its rows must come and go with it.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) shape: Shape,
    pub(crate) exposure: Exposure,
}

/// How the method is called.
pub(crate) struct Shape {
    pub(crate) is_async: bool,
    /// What it takes after `&self`, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// The return type, where a wrong one is reported.
    pub(crate) output_span: Span,
}

pub(crate) enum Parameter {
    /// `&mut Cx<'_>` or `&Cx<'_>`; of a native tool, `&ToolContext`.
    Context,
    /// `Args<T>`.
    Arguments(Type),
    /// `ToolCall`.
    Call,
    /// `&ToolCall`.
    CallRef,
    /// `&[ToolCall]`.
    Calls,
    /// `name: T`.
    Field(Field),
}

/// A named parameter, which is a field of the arguments.
pub(crate) struct Field {
    /// What derives read of it.
    pub(crate) attrs: Vec<Attribute>,
    /// An expression of type `&'static str`; `None`: there is no doc comment.
    pub(crate) description: Option<TokenStream>,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
}

/// Which calls reach a method.
pub(crate) enum Exposure {
    /// `#[tool]`.
    Tools(Vec<Tool>),
    /// `#[tools([…])]`.
    Sets(Vec<Set>),
    /// No attribute: its own name, or a base's method of that name.
    ByName,
    /// The same, if the types of its parameters and of what it returns are those of a handler.
    ByTypes(Box<Type>),
}

pub(crate) struct Tool {
    pub(crate) name: LitStr,
    pub(crate) overrides: bool,
    pub(crate) definition: Option<Definition>,
}

pub(crate) struct Definition {
    /// An expression of type `&'static str`.
    pub(crate) description: TokenStream,
    /// A function that makes the schema; `None`: the parameters say it.
    pub(crate) schema: Option<ExprPath>,
    /// Whether the model is told the strict form.
    pub(crate) is_strict: bool,
    /// Whether numbers may come as strings.
    pub(crate) is_lenient: bool,
}

pub(crate) struct Set {
    /// Sorted, each once.
    pub(crate) names: Vec<String>,
    /// The list in the attribute.
    pub(crate) span: Span,
}

/// A method without an attribute.
pub(crate) struct Plain {
    pub(crate) name: String,
    pub(crate) cfgs: Vec<Attribute>,
    /// What keeps it from being a handler. `None`: nothing does, or the types do.
    pub(crate) fault: Option<String>,
    pub(crate) is_documented: bool,
    /// Whether another method of the block calls it.
    pub(crate) is_called: bool,
}

/// A member of the trait that the block writes.
pub(crate) struct Hook {
    pub(crate) name: String,
    pub(crate) cfgs: Vec<Attribute>,
}

/// A step that a method body names.
pub(crate) struct Reference {
    pub(crate) method: String,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) target: Target,
    pub(crate) purpose: Purpose,
}

/// What a body does with the step that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It hands it to `go` or `direct_to`.
    Go,
    /// It hands it to `run_step` or `Child::new`.
    Child,
    /// Anything else.
    Mention,
    /// It is no step: `hide_tools` hides the tool of this name.
    Hide,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Target {
    /// `X::ID`.
    Type(String),
    /// `"X"`.
    Id(String),
}

impl Method {
    /// As tables and messages call it.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// What it returns, if its types decide whether it is a handler.
    pub(crate) const fn probed(&self) -> Option<&Type> {
        match &self.exposure {
            Exposure::ByTypes(output) => Some(output),
            _ => None,
        }
    }

    /// What `#[tool]` exposes.
    pub(crate) fn tools(&self) -> &[Tool] {
        match &self.exposure {
            Exposure::Tools(tools) => tools,
            Exposure::Sets(_) | Exposure::ByName | Exposure::ByTypes(_) => &[],
        }
    }

    /// What `#[tools([…])]` exposes.
    pub(crate) fn sets(&self) -> &[Set] {
        match &self.exposure {
            Exposure::Sets(sets) => sets,
            Exposure::Tools(_) | Exposure::ByName | Exposure::ByTypes(_) => &[],
        }
    }
}

impl Shape {
    /// Whether the method takes all calls of a reply at once.
    pub(crate) fn is_group(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter, Parameter::Calls))
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Field(field) => Some(field),
            _ => None,
        })
    }
}
