//! The object-safe face of a step.

use super::{Hidden, HookResult, Prompt, Step, Verdict};
use crate::{
    BoxFuture, Channels, Cx, Limits, StepId, StepResponse, ToolDefinition,
    model::{Block, ModelError, ModelFailure, ModelOutput, ModelRef, ModelReply, Recovery},
    native::{NativeTool, owned},
    tool::{
        CallView, ToolCall, ToolResult, check,
        raw::{RawTable, RowIndex},
    },
};
use serde_json::Value;
use std::{borrow::Cow, fmt};

/// Any [`Step`]: what [`Step::base`] returns and what a flow keeps.
///
/// Implemented for every step; there is nothing to implement or to call here.
///
/// ```
/// use picoflow_core::{AnyStep, Step, StepId};
///
/// struct Polite;
/// impl Step for Polite {
///     const ID: StepId = StepId::new("Polite");
/// }
///
/// let base: &dyn AnyStep = &Polite;
/// assert_eq!(format!("{base:?}"), r#"Step(StepId("Polite"))"#);
/// ```
pub trait AnyStep: sealed::Sealed + Send + Sync {
    #[doc(hidden)]
    fn dyn_id(&self) -> StepId;
    #[doc(hidden)]
    fn dyn_type_path(&self) -> &'static str;
    #[doc(hidden)]
    fn dyn_base(&self) -> Option<&dyn AnyStep>;
    #[doc(hidden)]
    fn dyn_prompt(&self, cx: &Cx<'_>) -> Prompt;
    #[doc(hidden)]
    fn dyn_use_tools(&self) -> Vec<Cow<'static, str>>;
    #[doc(hidden)]
    fn dyn_hide_tools(&self, cx: &Cx<'_>) -> Hidden;
    #[doc(hidden)]
    fn dyn_define_tools(&self) -> Vec<ToolDefinition>;
    #[doc(hidden)]
    fn dyn_native_tools(&self) -> Vec<NativeTool>;
    #[doc(hidden)]
    fn dyn_output_schema(&self, cx: &Cx<'_>) -> Option<Value>;
    #[doc(hidden)]
    fn dyn_model(&self, cx: &Cx<'_>) -> Option<ModelRef>;
    #[doc(hidden)]
    fn dyn_limits(&self, inherited: Limits) -> Limits;
    #[doc(hidden)]
    fn dyn_on_start<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult>;
    #[doc(hidden)]
    fn dyn_on_restore<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult>;
    #[doc(hidden)]
    fn dyn_on_enter<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult>;
    #[doc(hidden)]
    fn dyn_on_exit<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult>;
    #[doc(hidden)]
    fn dyn_on_crossing<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> BoxFuture<'a, HookResult<Option<String>>>;
    #[doc(hidden)]
    fn dyn_check_response(&self, cx: &Cx<'_>, reply: &ModelReply) -> Verdict;
    #[doc(hidden)]
    fn dyn_on_response<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        output: ModelOutput,
    ) -> BoxFuture<'a, HookResult<StepResponse>>;
    #[doc(hidden)]
    fn dyn_should_retry(&self, cx: &Cx<'_>, error: &ModelError) -> Option<bool>;
    #[doc(hidden)]
    fn dyn_on_model_error<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        failure: &'a ModelFailure,
    ) -> BoxFuture<'a, HookResult<Recovery>>;
    #[doc(hidden)]
    fn dyn_on_model_blocked<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        block: &'a Block,
    ) -> BoxFuture<'a, HookResult<Option<StepResponse>>>;
    #[doc(hidden)]
    fn dyn_is_end(&self, cx: &Cx<'_>) -> bool;
    #[doc(hidden)]
    fn dyn_state_channels(&self) -> Channels;
    #[doc(hidden)]
    fn dyn_check_params(&self, params: &Value) -> HookResult;
    #[doc(hidden)]
    fn dyn_run_logic<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
    ) -> Option<BoxFuture<'a, HookResult<StepResponse>>>;
    #[doc(hidden)]
    fn dyn_table(&self) -> RawTable;
    #[doc(hidden)]
    fn dyn_call<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>>;
    #[doc(hidden)]
    fn dyn_call_group<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>>;
}

mod sealed {
    #[expect(unnameable_types, reason = "this is what seals the trait")]
    pub trait Sealed {}
    impl<S: super::Step> Sealed for S {}
}

impl<S: Step> AnyStep for S {
    fn dyn_id(&self) -> StepId {
        S::ID
    }

    fn dyn_type_path(&self) -> &'static str {
        S::__type_path()
    }

    fn dyn_base(&self) -> Option<&dyn AnyStep> {
        self.base()
    }

    fn dyn_prompt(&self, cx: &Cx<'_>) -> Prompt {
        self.prompt(cx)
    }

    fn dyn_use_tools(&self) -> Vec<Cow<'static, str>> {
        self.use_tools()
    }

    fn dyn_hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        self.hide_tools(cx)
    }

    fn dyn_define_tools(&self) -> Vec<ToolDefinition> {
        self.define_tools()
    }

    fn dyn_native_tools(&self) -> Vec<NativeTool> {
        owned::<S>(|| self.native_tools())
    }

    fn dyn_output_schema(&self, cx: &Cx<'_>) -> Option<Value> {
        self.output_schema(cx)
    }

    fn dyn_model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        Step::model(self, cx)
    }

    fn dyn_limits(&self, inherited: Limits) -> Limits {
        self.limits(inherited)
    }

    fn dyn_on_start<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult> {
        Box::pin(self.on_start(cx))
    }

    fn dyn_on_restore<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult> {
        Box::pin(self.on_restore(cx))
    }

    fn dyn_on_enter<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult> {
        Box::pin(self.on_enter(cx))
    }

    fn dyn_on_exit<'a>(&'a self, cx: &'a mut Cx<'_>) -> BoxFuture<'a, HookResult> {
        Box::pin(self.on_exit(cx))
    }

    fn dyn_on_crossing<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> BoxFuture<'a, HookResult<Option<String>>> {
        Box::pin(self.on_crossing(cx, message, prior))
    }

    fn dyn_check_response(&self, cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        self.check_response(cx, reply)
    }

    fn dyn_on_response<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        output: ModelOutput,
    ) -> BoxFuture<'a, HookResult<StepResponse>> {
        Box::pin(self.on_response(cx, output))
    }

    fn dyn_should_retry(&self, cx: &Cx<'_>, error: &ModelError) -> Option<bool> {
        self.should_retry(cx, error)
    }

    fn dyn_on_model_error<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        failure: &'a ModelFailure,
    ) -> BoxFuture<'a, HookResult<Recovery>> {
        Box::pin(self.on_model_error(cx, failure))
    }

    fn dyn_on_model_blocked<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        block: &'a Block,
    ) -> BoxFuture<'a, HookResult<Option<StepResponse>>> {
        Box::pin(self.on_model_blocked(cx, block))
    }

    fn dyn_is_end(&self, cx: &Cx<'_>) -> bool {
        self.is_end(cx)
    }

    fn dyn_state_channels(&self) -> Channels {
        self.state_channels()
    }

    fn dyn_check_params(&self, params: &Value) -> HookResult {
        self.check_params(params)
    }

    fn dyn_run_logic<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
    ) -> Option<BoxFuture<'a, HookResult<StepResponse>>> {
        self.__run_logic(cx)
    }

    fn dyn_table(&self) -> RawTable {
        const { check::step::<S>() };
        let mut table = RawTable::of(&S::TABLE, S::__methods);
        table.references.extend(S::__references());
        table
    }

    fn dyn_call<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        at.call(S::__methods, self, cx, call)
    }

    fn dyn_call_group<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>> {
        at.call_group(S::__methods, self, cx, calls)
    }
}

impl fmt::Debug for dyn AnyStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Step").field(&self.dyn_id()).finish()
    }
}
