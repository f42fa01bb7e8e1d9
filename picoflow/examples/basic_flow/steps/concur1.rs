use super::ConcurStep3;
use picoflow::prelude::*;

/// A child that answers by a tool.
pub(crate) struct ConcurStep1;

#[tools]
impl Step for ConcurStep1 {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Call `complete_concurrent_step1`.".into()
    }

    /// Complete the first concurrent step
    #[tool(define)]
    async fn complete_concurrent_step1(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_steps([Child::new(ConcurStep3::ID)]).await?;
        let done = json!({ "completed": true });
        cx.save_state(json!({ "concurStep1_tool": done }));
        Ok(direct_result(done))
    }
}
