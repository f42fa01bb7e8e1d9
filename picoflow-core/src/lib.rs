#![cfg_attr(docsrs, feature(doc_cfg))]
//! Vocabulary and run time of picoflow: steps, tools, transitions, sessions.
//!
//! Use the crate `picoflow`, which adds the macros and the integrations. This one has no network, no database and no
//! macro: whatever the macros write can be written by hand with it.

mod channel;
mod children;
mod compaction;
mod content_type;
mod cx;
mod engine;
mod error;
mod event;
pub mod flow;
mod harness;
mod host;
mod id;
mod limits;
pub mod model;
pub mod native;
mod report;
mod response;
mod run;
pub mod session;
mod similar;
mod step;
mod storable;
mod text;
mod tool;

pub use channel::{Channel, Channels};
pub use children::{
    Batch, BatchError, Branch, BranchId, Child, ChildError, ChildFailure, Children,
    ParallelInvocation,
};
pub use compaction::Compaction;
pub use content_type::ContentType;
pub use cx::Cx;
pub use engine::{Engine, EngineBuilder, ItemDone, Reply, Spent, Turn, TurnBatch};
pub use error::TurnError;
pub use event::TurnEvent;
pub use flow::{BuildError, CompiledFlow, CompiledStep, Flow, Steps};
pub use harness::{HarnessReply, StepHarness};
pub use host::{CallSite, Host, Journal, SystemHost, TurnSite};
pub use id::{FlowId, StepId};
pub use limits::Limits;
pub use model::{ChatModel, ModelOutput, ModelRef, ModelReply};
pub use native::{
    NativeTool, ToolContext, ToolOutput, collect_linked_tools, collect_linked_tools_in,
    collect_tools,
};
pub use response::{
    AtStep, AtTool, Response, StepResponse, ToolResponse, direct, direct_result, direct_to, finish,
    go, stay, stay_with,
};
pub(crate) use run::Env;
pub use step::{
    AnyStep, Hidden, HookResult, IntoStepEntry, LogicStep, OnEntry, Prompt, Step, StepEntry,
    StepExt, TerminateSessionStep, Verdict,
};
pub use tool::{
    Args, IntoToolResponse, Json, ToolCall, ToolDefinition, ToolError, ToolResult, no_arguments,
    schema_of, strict_form,
};

#[doc(hidden)]
pub mod __private {
    //! What the macros write and what only they name. Not part of the API.
    pub use inventory;
    pub use tracing;

    pub use crate::{
        native::{IntoToolOutput, LinkedTool, NativeRow, ToolCollection, collect_rows, owned},
        report::unheard,
        step::{ChatKind, EntryKind, LogicKind},
        tool::{
            CallView, Faults, arguments, check, field,
            probe::{FieldType, Probe, Unfit},
            raw::{RawTable, RowIndex},
            table::{
                Block, DefinitionRow, FieldRow, GroupRow, Handler, Method, PlainRow, Purpose,
                Reference, SchemaRow, Target, ToolRow, ToolTable,
            },
            try_strict_form, without_absent,
        },
    };
}

use std::{future::Future, pin::Pin};

/// A future that can be kept without knowing its type.
///
/// ```
/// use picoflow_core::BoxFuture;
///
/// let future: BoxFuture<'_, u8> = Box::pin(async { 1 });
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert_eq!(future.await, 1);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A stream that can be kept without knowing its type.
///
/// ```
/// use futures_util::{StreamExt, stream};
/// use picoflow_core::BoxStream;
///
/// let stream: BoxStream<'_, u8> = Box::pin(stream::iter([1, 2]));
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert_eq!(stream.collect::<Vec<_>>().await, [1, 2]);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub type BoxStream<'a, T> = Pin<Box<dyn futures_util::Stream<Item = T> + Send + 'a>>;

/// Any error.
///
/// ```
/// use picoflow_core::BoxError;
///
/// let error: BoxError = "no such order".into();
/// assert_eq!(error.to_string(), "no such order");
/// ```
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
