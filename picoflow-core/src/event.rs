//! What happens in a turn, in order.

use crate::{Reply, StepId, session::ToolStatus};
use serde::{Deserialize, Serialize};

/// One thing that happened in a turn.
///
/// A reply carries them in the order in which they happened; a [stream](crate::Engine::stream) yields them when they
/// happen, and a few more.
///
/// ```
/// use picoflow_core::TurnEvent;
///
/// let event = TurnEvent::Said { text: "One moment.".to_owned() };
/// let json = serde_json::to_value(&event)?;
/// assert_eq!(json, serde_json::json!({ "event": "said", "text": "One moment." }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnEvent {
    /// A model was called.
    ModelCalled {
        /// The step that asked.
        step: StepId,
    },
    /// A tool ran, or the call was refused.
    ToolCalled {
        /// The step that received the reply.
        step: StepId,
        /// The tool.
        tool: String,
        /// Whether it did what it was asked.
        status: ToolStatus,
    },
    /// The cursor moved.
    Moved {
        /// From.
        from: StepId,
        /// To.
        to: StepId,
    },
    /// A child started.
    ChildStarted {
        /// Its step.
        step: StepId,
        /// How deep: 1 for a child of the current step.
        level: u32,
    },
    /// A transition spoke to the user before the end of the turn.
    Said {
        /// The text.
        text: String,
    },
    /// A summary took the place of older messages.
    Summarised {
        /// The namespace.
        namespace: String,
        /// How many messages it took the place of.
        messages: usize,
    },
    /// The session got a warning.
    Warned {
        /// Its text.
        message: String,
    },
    /// In streams alone: more of the text that the model is giving.
    Text {
        /// The step that asked.
        step: StepId,
        /// What is new.
        delta: String,
    },
    /// In streams alone: more of what the model thinks before it answers.
    Reasoning {
        /// The step that asked.
        step: StepId,
        /// What is new.
        delta: String,
    },
    /// In streams alone: a tool call that is about to be handled.
    ToolStarted {
        /// The step that received the reply.
        step: StepId,
        /// The tool.
        tool: String,
        /// The call's id.
        call: String,
        /// The arguments, as the model wrote them but for repairs.
        arguments: String,
    },
    /// In streams alone: what the model is told about the call.
    ToolEnded {
        /// The step that received the reply.
        step: StepId,
        /// The tool.
        tool: String,
        /// The call's id.
        call: String,
        /// Whether it did what it was asked.
        status: ToolStatus,
        /// What the model is told.
        result: String,
    },
    /// In streams alone: the end of the turn.
    Replied {
        /// What the turn came to.
        reply: Box<Reply>,
    },
}
