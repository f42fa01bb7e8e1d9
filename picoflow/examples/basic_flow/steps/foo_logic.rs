use super::GooLogicStep;
use picoflow::prelude::*;

/// Decides without a model. It only shows how state travels along.
pub(crate) struct FooLogicStep;

#[tools]
impl LogicStep for FooLogicStep {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(GooLogicStep::ID).with_state(json!({ "fooData": "from foo" })))
    }
}
