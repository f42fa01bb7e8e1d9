use super::ConcurStep4;
use picoflow::prelude::*;

/// A child that runs a child before it answers with a text.
pub(crate) struct ConcurStep2;

#[tools]
impl Step for ConcurStep2 {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.run_step(ConcurStep4::ID, Some("Anything else?")).await?;
        Ok(())
    }

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Report in one sentence.".into()
    }
}
