#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc = include_str!("docs/crate.md")]

pub use picoflow_core::*;
#[cfg(feature = "macros")]
pub use picoflow_macros::{tool, tools};

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(feature = "genai")]
pub mod genai;

#[cfg(any(feature = "genai", feature = "mcp"))]
mod http;

#[cfg(feature = "mcp")]
pub mod mcp;

#[cfg(feature = "otel")]
pub mod otel;

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
/// The version of sqlx whose pools [`PostgresStore::new`] takes.
#[cfg(feature = "postgres")]
#[doc(no_inline)]
pub use sqlx;

#[cfg(any(feature = "genai", feature = "mcp"))]
mod quiet;

#[cfg(feature = "restate")]
pub mod restate;

#[cfg(any(feature = "genai", feature = "mcp"))]
mod secret;

#[cfg(feature = "server")]
pub mod server;

#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

#[cfg(any(feature = "mcp", feature = "restate", feature = "server"))]
mod status;

#[cfg(feature = "testing")]
pub mod testing;

#[cfg(any(feature = "mcp", feature = "server"))]
mod web;

pub mod prelude {
    //! What a file with steps needs: `use picoflow::prelude::*;`.

    pub use crate::{
        AnyStep, Args, Channel, Channels, Child, Children, Compaction, ContentType, Cx, Engine,
        Flow, FlowId, Hidden, HookResult, Json, Limits, LogicStep, ModelOutput, ModelRef,
        ModelReply, NativeTool, OnEntry, Prompt, Step, StepExt, StepId, StepResponse, Steps,
        TerminateSessionStep, ToolCall, ToolContext, ToolDefinition, ToolError, ToolResponse, Turn,
        Verdict, collect_linked_tools, collect_linked_tools_in, collect_tools, direct,
        direct_result, direct_to, finish, go, stay, stay_with,
    };
    #[cfg(feature = "macros")]
    pub use crate::{tool, tools};
    pub use schemars::{self, JsonSchema};
    pub use serde::{self, Deserialize, Serialize};
    pub use serde_json::{Value, json};
}

#[doc(hidden)]
pub mod __private {
    //! What expanded code names. Not part of the API.

    pub use picoflow_core::{
        __private::*, Args, Cx, Flow, FlowId, IntoToolResponse, LogicStep, NativeTool, Step,
        StepId, ToolCall, ToolContext, ToolOutput, ToolResult, schema_of,
    };
    pub use schemars;
    pub use serde;
    pub use serde_json::Value;
    pub use std::{boxed::Box, sync::Arc, vec::Vec};
}
