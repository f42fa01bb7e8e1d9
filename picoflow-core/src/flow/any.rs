//! The object-safe face of a flow.

use super::{Flow, Steps};
use crate::{
    BoxError, BoxFuture, Cx, FlowId, HookResult, Limits, StepId, StepResponse, ToolDefinition,
    model::{Block, ModelError, ModelFailure, ModelRef, Recovery},
    native::NativeTool,
    tool::{
        CallView, ToolCall, ToolResult, check,
        raw::{RawTable, RowIndex},
    },
};
use serde_json::Value;

pub(crate) trait AnyFlow: Send + Sync {
    fn id(&self) -> FlowId;
    fn version(&self) -> u32;
    fn migrate(&self, document: Value, from: u32) -> Result<Value, BoxError>;
    fn type_path(&self) -> &'static str;
    fn model(&self) -> ModelRef;
    fn steps(&self) -> Steps;
    fn initial_step(&self, context: &Value) -> Option<StepId>;
    fn define_tools(&self) -> Vec<ToolDefinition>;
    fn native_tools(&self) -> Vec<NativeTool>;
    fn limits(&self) -> Limits;
    fn should_retry(&self, cx: &Cx<'_>, error: &ModelError) -> Option<bool>;
    fn on_model_error<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        failure: &'a ModelFailure,
    ) -> BoxFuture<'a, HookResult<Recovery>>;
    fn on_model_blocked<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        block: &'a Block,
    ) -> BoxFuture<'a, HookResult<Option<StepResponse>>>;
    fn table(&self) -> RawTable;
    fn call<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>>;
    fn call_group<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>>;
}

impl<F: Flow> AnyFlow for F {
    fn id(&self) -> FlowId {
        F::ID
    }

    fn version(&self) -> u32 {
        Flow::version(self)
    }

    fn migrate(&self, document: Value, from: u32) -> Result<Value, BoxError> {
        Flow::migrate(self, document, from)
    }

    fn type_path(&self) -> &'static str {
        std::any::type_name::<F>()
    }

    fn model(&self) -> ModelRef {
        Flow::model(self)
    }

    fn steps(&self) -> Steps {
        Flow::steps(self)
    }

    fn initial_step(&self, context: &Value) -> Option<StepId> {
        Flow::initial_step(self, context)
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        Flow::define_tools(self)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        Flow::native_tools(self)
    }

    fn limits(&self) -> Limits {
        Flow::limits(self)
    }

    fn should_retry(&self, cx: &Cx<'_>, error: &ModelError) -> Option<bool> {
        Flow::should_retry(self, cx, error)
    }

    fn on_model_error<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        failure: &'a ModelFailure,
    ) -> BoxFuture<'a, HookResult<Recovery>> {
        Box::pin(Flow::on_model_error(self, cx, failure))
    }

    fn on_model_blocked<'a>(
        &'a self,
        cx: &'a mut Cx<'_>,
        block: &'a Block,
    ) -> BoxFuture<'a, HookResult<Option<StepResponse>>> {
        Box::pin(Flow::on_model_blocked(self, cx, block))
    }

    fn table(&self) -> RawTable {
        const { check::flow::<F>() };
        RawTable::of(&F::TABLE, F::__methods)
    }

    fn call<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        call: CallView<'a>,
    ) -> Option<BoxFuture<'a, ToolResult>> {
        at.call(F::__methods, self, cx, call)
    }

    fn call_group<'a>(
        &'a self,
        at: RowIndex,
        cx: &'a mut Cx<'_>,
        calls: &'a [ToolCall],
    ) -> Option<BoxFuture<'a, ToolResult>> {
        at.call_group(F::__methods, self, cx, calls)
    }
}
