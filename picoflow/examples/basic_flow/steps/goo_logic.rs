use super::FavoritesStep;
use picoflow::prelude::*;

/// The second of two logic steps in one turn.
pub(crate) struct GooLogicStep;

#[tools]
impl LogicStep for GooLogicStep {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let from = cx.state()["fooData"].as_str().unwrap_or("nowhere");
        Ok(go(FavoritesStep::ID).with_state(json!({ "gooData": format!("{from}, then goo") })))
    }
}
