use super::{ConcurStep1, ConcurStep2};
use picoflow::{prelude::*, schema_of};

/// A child that runs children of its own side by side and answers with data instead of text.
pub(crate) struct InContextStep;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used: the answer goes on as JSON")]
struct MovieIdea {
    /// Title of the movie
    title: String,
    /// What happens, in one sentence
    plot: String,
}

#[tools]
impl Step for InContextStep {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        let batch = cx
            .run_steps([
                Child::new(ConcurStep1::ID),
                Child::new(ConcurStep2::ID).message("What is new?"),
            ])
            .await?;
        if let Some((branch, error)) = batch.rejected().next() {
            return Err(format!("{}: {error}", branch.step).into());
        }
        for (branch, output) in batch.fulfilled() {
            if branch.step == ConcurStep1::ID {
                cx.save_state(json!({ "concurStep1": output }));
            }
        }
        Ok(())
    }

    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let hero = cx.transient()["hero"].as_str().unwrap_or("the user");
        format!("Invent a movie whose hero is {hero}.").into()
    }

    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(schema_of::<MovieIdea>())
    }
}
