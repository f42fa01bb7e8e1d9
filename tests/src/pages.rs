//! The pages whose code has to compile and run.

macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../", $page))]
            struct $name;
        )*
    };
}

pages! {
    Readme: "README.md",
    Steps: "docs/src/steps.md",
    Schemas: "docs/src/schemas.md",
    Transitions: "docs/src/transitions.md",
    Children: "docs/src/children.md",
    ManyTools: "docs/src/many-tools.md",
    NativeTools: "docs/src/native-tools.md",
    Sessions: "docs/src/sessions.md",
    LongConversations: "docs/src/long-conversations.md",
    Streaming: "docs/src/streaming.md",
    Durable: "docs/src/durable.md",
    Testing: "docs/src/testing.md",
    Rules: "docs/src/rules.md",
}

#[cfg(all(doctest, feature = "genai"))]
#[doc = include_str!("../../docs/src/models.md")]
struct Models;

#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../../docs/src/mcp.md")]
struct Mcp;

#[cfg(all(doctest, feature = "server"))]
#[doc = include_str!("../../docs/src/server.md")]
struct Server;

#[cfg(all(doctest, feature = "otel"))]
#[doc = include_str!("../../docs/src/telemetry.md")]
struct Telemetry;

#[cfg(all(doctest, feature = "server"))]
#[doc = include_str!("../../docs/src/page.md")]
struct Page;

#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../../docs/src/cli.md")]
struct Cli;
