//! Steps that decide without a model.

use super::{HookResult, Step};
use crate::{
    BoxFuture, Cx, StepId, StepResponse,
    tool::{
        raw::RawTable,
        table::{Reference, ToolTable},
    },
};
use std::future::Future;

/// A step that runs code instead of a model: no prompt, no tools.
///
/// The turn goes on in the same call.
///
/// `#[tools]` on the `impl` block fills in [`ID`](LogicStep::ID) and lets the flow's graph and build report see where
/// it goes.
///
/// ```
/// use picoflow_core::{Cx, HookResult, LogicStep, StepId, StepResponse, go};
///
/// struct Router;
///
/// impl LogicStep for Router {
///     const ID: StepId = StepId::new("Router");
///
///     async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
///         let known = cx.step_state("NameStep")["name"].is_string();
///         Ok(if known { go("ReviewStep") } else { go("NameStep") })
///     }
/// }
///
/// assert_eq!(Router::ID, "Router");
/// ```
pub trait LogicStep: Send + Sync + Sized + 'static {
    /// The step's name in its flow and in stored sessions.
    const ID: StepId;

    /// The steps that the annotated block names. Written by `#[tools]`.
    #[doc(hidden)]
    const TABLE: ToolTable = ToolTable::EMPTY;

    /// Decides where the conversation goes.
    ///
    #[doc = include_str!("../docs/step_logic.md")]
    fn run_logic(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult<StepResponse>> + Send;

    /// The step becomes current. Default: nothing.
    /// See [`run_logic`](LogicStep::run_logic) for an example.
    fn on_enter(&self, _cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async { Ok(()) }
    }

    /// The step is left. Default: nothing.
    /// See [`run_logic`](LogicStep::run_logic) for an example.
    fn on_exit(&self, _cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async { Ok(()) }
    }
}

/// Makes a step of a logic step.
pub(super) struct Logic<L>(pub(super) L);

impl<L: LogicStep> Step for Logic<L> {
    const ID: StepId = L::ID;

    fn on_enter(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        self.0.on_enter(cx)
    }

    fn on_exit(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        self.0.on_exit(cx)
    }

    fn __run_logic<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
    ) -> Option<BoxFuture<'a, HookResult<StepResponse>>> {
        Some(Box::pin(self.0.run_logic(cx)))
    }

    fn __type_path() -> &'static str {
        std::any::type_name::<L>()
    }

    fn __references() -> Vec<Reference> {
        RawTable::of(&L::TABLE, Self::__methods).references
    }
}
