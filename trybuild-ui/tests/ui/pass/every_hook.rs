//! Every hook stays in its trait impl: elsewhere nothing would call it, which is a warning.
#![deny(warnings)]

use picoflow::{
    BoxError,
    model::{Block, ModelError, ModelFailure, Recovery},
    prelude::*,
};
use std::borrow::Cow;

struct Base;

#[tools]
impl Step for Base {}

struct NameStep(Base);

#[tools]
impl Step for NameStep {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        Prompt::none()
    }

    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        Vec::new()
    }

    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        Hidden::None
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        Vec::new()
    }

    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        None
    }

    fn model(&self, _cx: &Cx<'_>) -> Option<ModelRef> {
        None
    }

    fn limits(&self, inherited: Limits) -> Limits {
        inherited
    }

    async fn on_start(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    async fn on_restore(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    async fn on_exit(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    async fn on_crossing(
        &self,
        _cx: &mut Cx<'_>,
        message: Option<String>,
        _prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        Ok(message)
    }

    fn check_response(&self, _cx: &Cx<'_>, _reply: &ModelReply) -> Verdict {
        Verdict::Accept
    }

    fn should_retry(&self, _cx: &Cx<'_>, _error: &ModelError) -> Option<bool> {
        None
    }

    async fn on_model_error(
        &self,
        _cx: &mut Cx<'_>,
        _failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        Ok(Recovery::Pass)
    }

    async fn on_model_blocked(
        &self,
        _cx: &mut Cx<'_>,
        _block: &Block,
    ) -> HookResult<Option<StepResponse>> {
        Ok(None)
    }

    async fn on_response(&self, _cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        Ok(output.into_text().into())
    }

    fn is_end(&self, _cx: &Cx<'_>) -> bool {
        false
    }

    fn state_channels(&self) -> Channels {
        Channels::new().add("total", Channel::sum())
    }

    fn check_params(&self, _params: &Value) -> HookResult {
        Ok(())
    }
}

struct Router;

#[tools]
impl LogicStep for Router {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(NameStep::ID))
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    async fn on_exit(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }
}

struct BasicFlow;

#[tools]
impl Flow for BasicFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("openai", "gpt-4o-mini")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Router).add(NameStep(Base))
    }

    fn initial_step(&self, _context: &Value) -> Option<StepId> {
        None
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        Vec::new()
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    fn should_retry(&self, _cx: &Cx<'_>, _error: &ModelError) -> Option<bool> {
        None
    }

    async fn on_model_error(
        &self,
        _cx: &mut Cx<'_>,
        _failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        Ok(Recovery::Pass)
    }

    async fn on_model_blocked(
        &self,
        _cx: &mut Cx<'_>,
        _block: &Block,
    ) -> HookResult<Option<StepResponse>> {
        Ok(None)
    }

    fn version(&self) -> u32 {
        1
    }

    fn migrate(&self, document: Value, _from: u32) -> Result<Value, BoxError> {
        Ok(document)
    }
}

fn main() {
    let _ = Engine::builder().flow(BasicFlow);
}
