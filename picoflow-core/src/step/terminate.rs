//! The step that ends a conversation.

use super::{Hidden, HookResult, Prompt, Step};
use crate::{Cx, StepId, ToolDefinition};
use serde_json::json;

/// Ends the session: entering it completes the session, and one last model call says goodbye.
///
/// Its prompt is the transition's `with_prompt`, else a general one. (`finish(text)` ends a session without a model
/// call.)
///
/// It defines the tool `terminate_session` but does not expose it: a step that lets the user leave has a
/// handler of its own for it, which goes here.
///
/// ```
/// use picoflow_core::{Step, TerminateSessionStep, ToolResponse, go};
///
/// fn leave() -> ToolResponse {
///     go(TerminateSessionStep::ID).with_prompt("The user wants to leave. Say goodbye.")
/// }
/// # assert_eq!(leave().target().unwrap(), "TerminateSessionStep");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminateSessionStep;

impl TerminateSessionStep {
    /// The tool that it defines.
    ///
    /// ```
    /// use picoflow_core::{Step, TerminateSessionStep};
    ///
    /// let tools = TerminateSessionStep.define_tools();
    /// assert_eq!(tools[0].name(), TerminateSessionStep::TOOL);
    /// ```
    pub const TOOL: &'static str = "terminate_session";
}

impl Step for TerminateSessionStep {
    const ID: StepId = StepId::new("TerminateSessionStep");

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "The conversation is over. Thank the user and say goodbye in one or two sentences. Do not ask anything."
            .into()
    }

    fn define_tools(&self) -> Vec<ToolDefinition> {
        vec![ToolDefinition::new(
            Self::TOOL,
            "End the conversation, when the user wants to leave or everything is done",
            json!({
                "type": "object",
                "properties": {
                    "prompt": { "type": "string", "description": "Why the conversation ends" }
                }
            }),
        )]
    }

    fn hide_tools(&self, _cx: &Cx<'_>) -> Hidden {
        Hidden::All
    }

    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.mark_completed();
        Ok(())
    }

    async fn on_crossing(
        &self,
        cx: &mut Cx<'_>,
        _message: Option<String>,
        prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        if let Some(prior) = prior {
            cx.inherit_content_type(&prior);
        }
        Ok(Some("I'm done with chat".to_owned()))
    }

    fn is_end(&self, _cx: &Cx<'_>) -> bool {
        true
    }
}
