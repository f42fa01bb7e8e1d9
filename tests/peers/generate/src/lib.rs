//! Source text of `n` tools for each contender: one named `add`, which is the one that is called, and `n - 1` that add a
//! number of their own, so that no two handlers are one function after the optimizer.

use std::fmt::{self, Display};

/// Where a tool's arguments come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Parameters of the handler: the macro writes the struct.
    Named,
    /// One struct `AddArgs` for all tools, which is in scope.
    Shared,
    /// A struct for each tool.
    Own,
}

/// One tool: its name, what it adds, the struct of its arguments.
struct Tool {
    number: usize,
    arguments: Arguments,
}

impl Tool {
    fn all(count: usize, arguments: Arguments) -> impl Iterator<Item = Self> {
        (0..count).map(move |number| Self { number, arguments })
    }

    fn name(&self) -> String {
        match self.number {
            0 => "add".to_owned(),
            number => format!("tool_{number}"),
        }
    }

    fn description(&self) -> String {
        match self.number {
            0 => "Add two numbers".to_owned(),
            number => format!("Add two numbers and {number}"),
        }
    }

    fn sum(&self) -> String {
        match self.number {
            0 => "a + b".to_owned(),
            number => format!("a + b + {number}"),
        }
    }

    fn struct_name(&self) -> String {
        match (self.arguments, self.number) {
            (Arguments::Own, number) => format!("AddArgs{number}"),
            _ => "AddArgs".to_owned(),
        }
    }

    /// The handler's parameters behind `&self`. `wrapper` names the type that takes a struct.
    fn parameters(&self, wrapper: &str) -> String {
        let name = self.struct_name();
        let short = wrapper.rsplit("::").next().unwrap_or(wrapper);
        match self.arguments {
            Arguments::Named => "a: i64, b: i64".to_owned(),
            _ => format!("{short}({name} {{ a, b }}): {wrapper}<{name}>"),
        }
    }

    fn own_struct(&self) -> String {
        match self.arguments {
            Arguments::Own => arguments(&self.struct_name()),
            _ => String::new(),
        }
    }
}

/// The struct of a tool's arguments.
#[must_use]
pub fn arguments(name: &str) -> String {
    format!(
        "#[derive(::serde::Deserialize, ::schemars::JsonSchema)]\n\
         pub struct {name} {{ pub a: i64, pub b: i64 }}\n"
    )
}

fn join<T: Display>(items: impl Iterator<Item = T>) -> String {
    items.fold(String::new(), |mut text, item| {
        // Writing to a string does not fail.
        let _: fmt::Result = fmt::Write::write_fmt(&mut text, format_args!("{item}\n"));
        text
    })
}

/// A step `name` and a flow `{name}Flow` of it.
#[must_use]
pub fn picoflow(name: &str, count: usize, arguments: Arguments) -> String {
    let structs = join(Tool::all(count, arguments).map(|tool| tool.own_struct()));
    let tools = join(Tool::all(count, arguments).map(|tool| {
        format!(
            "/// {}\n#[tool(define)]\nasync fn {}(&self, {}) -> Json<i64> {{ Json({}) }}",
            tool.description(),
            tool.name(),
            tool.parameters("Args"),
            tool.sum()
        )
    }));
    format!(
        "{structs}
pub struct {name};
#[tools]
impl Step for {name} {{
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {{ \"Add numbers with `add`.\".into() }}
    {tools}
}}
pub struct {name}Flow;
#[tools]
impl Flow for {name}Flow {{
    fn model(&self) -> ModelRef {{ ModelRef::new(\"in-process\", \"scripted\") }}
    fn steps(&self) -> Steps {{ Steps::new().add({name}) }}
}}
"
    )
}

/// Which router `#[tool_handler]` is told to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Router {
    /// None: it makes one for each call.
    Default,
    /// The one that the server keeps in `router`.
    Kept,
}

/// A server `name`.
#[must_use]
pub fn rmcp(name: &str, count: usize, arguments: Arguments, router: Router) -> String {
    let structs = join(Tool::all(count, arguments).map(|tool| tool.own_struct()));
    let tools = join(Tool::all(count, arguments).map(|tool| {
        format!(
            "/// {}\n#[::rmcp::tool]\nasync fn {}(&self, {}) -> String {{ ({}).to_string() }}",
            tool.description(),
            tool.name(),
            tool.parameters("::rmcp::handler::server::wrapper::Parameters"),
            tool.sum()
        )
    }));
    let router = match router {
        Router::Default => "",
        Router::Kept => "(router = self.router)",
    };
    format!(
        "{structs}
use ::rmcp::handler::server::wrapper::Parameters;
#[derive(Clone)]
pub struct {name} {{ pub router: ::rmcp::handler::server::router::tool::ToolRouter<Self> }}
#[::rmcp::tool_router(vis = \"pub\")]
impl {name} {{
    pub fn new() -> Self {{ Self {{ router: Self::tool_router() }} }}
    {tools}
}}
#[::rmcp::tool_handler{router}]
impl ::rmcp::ServerHandler for {name} {{}}
"
    )
}

/// A function `set` that makes a `ToolSet`, and `agent` that gives an agent the same tools.
#[must_use]
pub fn rig(count: usize) -> String {
    let tools = join(Tool::all(count, Arguments::Named).map(|tool| {
        format!(
            "/// {}\n#[::rig_derive::rig_tool]\n\
             pub async fn {}(a: i64, b: i64) -> Result<i64, ::rig_core::tool::ToolExecutionError> {{ Ok({}) }}",
            tool.description(),
            tool.name(),
            tool.sum()
        )
    }));
    let types = || {
        (0..count).map(|number| match number {
            0 => "Add".to_owned(),
            number => format!("Tool{number}"),
        })
    };
    let to_set = join(types().map(|name| format!("set.add_tool({name});")));
    let to_agent = join(types().map(|name| format!("let agent = agent.tool({name});")));
    format!(
        "{tools}
pub fn set() -> ::rig_agent::tool::ToolSet {{
    let mut set = ::rig_agent::tool::ToolSet::default();
    {to_set}
    set
}}
pub fn agent(
    agent: ::rig_agent::AgentBuilder,
) -> ::rig_agent::AgentBuilder<::rig_agent::agent::WithBuilderTools> {{
    {to_agent}
    agent
}}
"
    )
}

/// A server `name`.
#[must_use]
pub fn poem(name: &str, count: usize) -> String {
    let tools = join(Tool::all(count, Arguments::Named).map(|tool| {
        format!(
            "/// {}\nasync fn {}(&self, {}) -> ::poem_mcpserver::content::Text<i64> {{ \
             ::poem_mcpserver::content::Text({}) }}",
            tool.description(),
            tool.name(),
            tool.parameters(""),
            tool.sum()
        )
    }));
    format!("pub struct {name};\n#[::poem_mcpserver::Tools]\nimpl {name} {{\n{tools}\n}}\n")
}

/// A function `call`: a `match` as one writes it by hand, with one allocation for the future.
#[must_use]
pub fn floor(count: usize) -> String {
    let arms = join(Tool::all(count, Arguments::Shared).map(|tool| {
        format!(
            "\"{}\" => Box::pin(async move {{ \
             let AddArgs {{ a, b }} = ::serde_json::from_str(arguments)?; Ok({}) }}),",
            tool.name(),
            tool.sum()
        )
    }));
    format!(
        "pub fn call<'a>(tool: &'a str, arguments: &'a str) -> Answer<'a> {{
    match tool {{
        {arms}
        _ => Box::pin(::std::future::ready(Err(::serde::de::Error::custom(\"unknown tool\")))),
    }}
}}
"
    )
}
