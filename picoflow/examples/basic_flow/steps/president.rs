use super::WeatherStep;
use picoflow::prelude::*;

/// Where a session begins whose `config` says `{"isPresident": true}`.
pub(crate) struct PresidentStep;

#[tools]
impl Step for PresidentStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Welcome the president and ask whether to begin. When the answer is yes, call `begin_visit`.".into()
    }

    /// Begin the visit
    #[tool(define)]
    fn begin_visit(&self) -> ToolResponse {
        go(WeatherStep::ID)
    }

    #[tool("terminate_session")]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID).with_prompt("The president wants to leave. Say goodbye.")
    }
}
