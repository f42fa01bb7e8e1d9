use super::{DOBStep, InContextStep};
use picoflow::prelude::*;

/// Learns the user's name, then lets another step think about it before it goes on.
pub(crate) struct NameStep;

#[derive(Deserialize, JsonSchema)]
struct UserName {
    /// Complete first and last name
    #[schemars(length(min = 3))]
    name: String,
}

#[tools]
impl Step for NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for the user's full name, then call `user_name`.".into()
    }

    /// Capture name of user
    #[tool(define)]
    async fn user_name(
        &self,
        cx: &mut Cx<'_>,
        Args(user): Args<UserName>,
    ) -> Result<ToolResponse, ToolError> {
        let name = user.name.trim();
        if name.eq_ignore_ascii_case("john doe") {
            return Ok(stay_with("Cannot accept John Doe, please choose a different name."));
        }
        cx.save_state(json!({ "name": name }));
        // Transient data is there for the child and never stored.
        cx.save_step_transient(InContextStep::ID, json!({ "hero": name }));
        let idea = cx.run_step(InContextStep::ID, None).await?;
        cx.log(format!("a movie for {name}: {idea}"));
        Ok(go(DOBStep::ID))
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID).with_prompt("The user wants to leave. Say goodbye.")
    }
}
