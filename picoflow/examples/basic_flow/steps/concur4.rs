use picoflow::prelude::*;

/// A child with nothing but a prompt and a word of its own on the reply.
pub(crate) struct ConcurStep4;

#[tools]
impl Step for ConcurStep4 {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Say that you are done.".into()
    }

    async fn on_response(&self, _cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        Ok(format!("step 4: {}", output.as_text()).into())
    }
}
