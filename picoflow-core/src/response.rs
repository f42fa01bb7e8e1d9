//! Transitions: what a handler or a hook answers.
//!
//! One type with a marker and two names for it. `go`, `direct_to` and `finish` fit both places by
//! inference; `stay` and its kind exist for handlers alone, so that a misuse does not compile.

use crate::{
    ContentType, StepId,
    session::{Message, MessageKind, REASONING},
    storable,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{fmt, marker::PhantomData};

/// Marks a [`Response`] of a tool handler.
///
/// `Response<AtTool>` is [`ToolResponse`].
#[derive(Debug)]
pub enum AtTool {}

/// Marks a [`Response`] of a step hook.
///
/// `Response<AtStep>` is [`StepResponse`].
#[derive(Debug)]
pub enum AtStep {}

/// What a tool handler answers: made by [`go`], [`stay`], [`stay_with`], [`direct`], [`direct_to`], [`finish`] or,
/// in a child, [`direct_result`].
///
/// See [`Response`] for an example.
pub type ToolResponse = Response<AtTool>;

/// What `on_response` and `run_logic` answer: made by [`go`], [`direct_to`], [`finish`], or from a text, which ends
/// the turn with that text.
///
/// See [`Response`] for an example.
pub type StepResponse = Response<AtStep>;

/// A transition, with what travels along.
///
/// The order of effects is fixed, whatever the order of the calls: leave the old step, add to the
/// sequence, move the cursor, enter the new step, then prompt, state, content type, the tool messages,
/// and the message. It is the order of the reference product.
///
/// ```
/// use picoflow_core::{StepResponse, ToolResponse, direct, go, stay_with};
/// use serde_json::json;
///
/// fn name(name: &str) -> ToolResponse {
///     if name.is_empty() {
///         return stay_with("Ask again.");
///     }
///     go("ReviewStep").with_state(json!({ "name": name }))
/// }
///
/// fn on_response() -> StepResponse {
///     go("ReviewStep") // `stay()` would not compile here.
/// }
///
/// assert_eq!(name("Ann").target().unwrap(), "ReviewStep");
/// assert_eq!(name("").target(), None);
/// assert_eq!(on_response().target().unwrap(), "ReviewStep");
/// assert_eq!(direct("Done.").content(), Some("Done."));
/// ```
#[must_use = "a transition takes effect only when it is returned"]
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Response<At> {
    pub(crate) action: Action,
    pub(crate) feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Travels::is_empty")]
    pub(crate) travels: Travels,
    #[serde(skip)]
    at: PhantomData<fn() -> At>,
}

/// Where the conversation goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Action {
    Go(StepId),
    Stay,
    Direct(String),
    DirectTo(StepId, String),
    Finish(String),
    Result(Box<Value>),
    /// A text that a hook ends the turn with.
    Text(String),
}

/// What goes along with a transition. Most take nothing along, and a transition is moved a lot: hence the box.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Travels(Option<Box<Luggage>>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Luggage {
    pub(crate) state: Option<Map<String, Value>>,
    pub(crate) prompt: Option<String>,
    pub(crate) message: Option<Message>,
    pub(crate) content_type: Option<ContentType>,
    pub(crate) saying: Vec<String>,
    /// A value that is no JSON, or no object where one is due. The turn fails with it.
    pub(crate) fault: Option<String>,
}

impl Travels {
    pub(crate) fn into_luggage(self) -> Luggage {
        self.0.map_or_else(Luggage::default, |luggage| *luggage)
    }

    const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn edit(&mut self) -> &mut Luggage {
        self.0.get_or_insert_default()
    }
}

impl std::ops::Deref for Travels {
    type Target = Luggage;

    fn deref(&self) -> &Luggage {
        static NONE: Luggage = Luggage {
            state: None,
            prompt: None,
            message: None,
            content_type: None,
            saying: Vec::new(),
            fault: None,
        };
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl Action {
    /// The builder that makes this, as the user wrote it.
    pub(crate) const fn builder(&self) -> &'static str {
        match self {
            Self::Go(_) => "go",
            Self::Stay => "stay",
            Self::Direct(_) => "direct",
            Self::DirectTo(..) => "direct_to",
            Self::Finish(_) => "finish",
            Self::Result(_) => "direct_result",
            Self::Text(_) => "a text",
        }
    }
}

/// Moves to `target` and goes on with it in the same turn.
///
/// A step that does not exist fails the turn, before any hook runs. The current step as target runs no hook and adds
/// nothing to the sequence, as in the reference product. The user's text does not travel by itself: forward it by
/// [`with_message`](Response::with_message).
///
/// ```
/// use picoflow_core::{ToolResponse, go};
///
/// let response: ToolResponse = go("ReviewStep");
/// assert_eq!(response.target().unwrap(), "ReviewStep");
/// ```
pub fn go<At>(target: impl Into<StepId>) -> Response<At> {
    Response::new(Action::Go(target.into()))
}

/// Stays, and tells the model `input validated`, as in the reference product; the model is called again.
///
/// ```
/// assert_eq!(picoflow_core::stay().target(), None);
/// ```
pub fn stay() -> ToolResponse {
    Response::new(Action::Stay)
}

/// Stays, and tells the model `feedback`; the model is called again.
///
/// For input that was refused or is not complete yet.
///
/// ```
/// use picoflow_core::stay_with;
///
/// assert_eq!(stay_with("Which year?").tool_feedback(), Some("Which year?"));
/// ```
pub fn stay_with(feedback: impl Into<String>) -> ToolResponse {
    stay().with_tool_feedback(feedback)
}

/// Ends the turn with exactly this content, without another model call.
///
/// The step stays current and the session goes on.
///
/// ```
/// assert_eq!(picoflow_core::direct("42 rooms.").content(), Some("42 rooms."));
/// ```
pub fn direct(content: impl Into<String>) -> ToolResponse {
    Response::new(Action::Direct(content.into()))
}

/// Moves to `target` and ends the turn with exactly this content, without another model call.
///
/// ```
/// use picoflow_core::{ToolResponse, direct_to};
///
/// let response: ToolResponse = direct_to("MenuStep", "Back to the menu.");
/// assert_eq!(response.target().unwrap(), "MenuStep");
/// assert_eq!(response.content(), Some("Back to the menu."));
/// ```
pub fn direct_to<At>(target: impl Into<StepId>, content: impl Into<String>) -> Response<At> {
    Response::new(Action::DirectTo(target.into(), content.into()))
}

/// Ends the turn with exactly this content and the session as completed.
///
/// The cursor stays.
///
/// ```
/// use picoflow_core::{StepResponse, finish};
///
/// let response: StepResponse = finish("Good bye!");
/// assert_eq!((response.content(), response.target()), (Some("Good bye!"), None));
/// ```
pub fn finish<At>(content: impl Into<String>) -> Response<At> {
    Response::new(Action::Finish(content.into()))
}

/// Ends a child that `run_step` or `run_steps` started: `value` is its output.
///
/// Of several in one reply the last counts, with a warning. Anywhere else it fails the turn. A value that cannot be
/// written as JSON, such as `f64::NAN`, fails the child.
///
/// ```
/// use picoflow_core::direct_result;
///
/// let response = direct_result(["tea", "cup"]);
/// assert_eq!((response.content(), response.target()), (None, None));
/// ```
pub fn direct_result(value: impl Serialize) -> ToolResponse {
    match storable::json(&value, "direct_result") {
        Ok(value) => Response::new(Action::Result(Box::new(value))),
        Err(reason) => {
            let mut response = Response::new(Action::Result(Box::default()));
            response.travels.edit().fault = Some(reason);
            response
        }
    }
}

impl<At> Response<At> {
    fn new(action: Action) -> Self {
        Self { action, feedback: None, travels: Travels::default(), at: PhantomData }
    }

    /// What this does, by the name of the function that made it, such as `go`.
    ///
    /// ```
    /// assert_eq!(picoflow_core::stay_with("Which year?").transition(), "stay");
    /// ```
    pub const fn transition(&self) -> &'static str {
        self.action.builder()
    }

    /// The step this moves to, if it moves.
    pub const fn target(&self) -> Option<&StepId> {
        match &self.action {
            Action::Go(target) | Action::DirectTo(target, _) => Some(target),
            _ => None,
        }
    }

    /// The content that ends the turn, if it does.
    pub fn content(&self) -> Option<&str> {
        match &self.action {
            Action::Direct(content)
            | Action::DirectTo(_, content)
            | Action::Finish(content)
            | Action::Text(content) => Some(content),
            _ => None,
        }
    }

    /// What the model is told about the call, if not the default.
    pub fn tool_feedback(&self) -> Option<&str> {
        self.feedback.as_deref()
    }

    /// Saves `state` on the destination; each top-level key replaces that key. It must be an object, as for
    /// [`Cx::save_state`](crate::Cx::save_state), else the turn fails.
    ///
    /// It is what was found out, so it is saved also if another transition of the same reply wins: the destination has it
    /// when it is entered later, unless its entry begins afresh ([`OnEntry::Restart`](crate::OnEntry::Restart)). Prompt, message and content type of a transition that lost are dropped.
    ///
    #[doc = include_str!("docs/response_travels.md")]
    pub fn with_state(mut self, state: impl Serialize) -> Self {
        match storable::object(&state, "with_state") {
            Ok(map) => self.travels.edit().state = Some(map),
            Err(reason) => self.travels.edit().fault = Some(reason),
        }
        self
    }

    /// Replaces the destination's prompt until that step is left.
    /// See [`with_state`](Response::with_state) for an example.
    pub fn with_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.travels.edit().prompt = Some(prompt.into());
        self
    }

    /// Puts a message into the destination's memory, behind the tool messages. A text is a message of the user;
    /// [`Message::ai`] is one of the assistant, which a step that stays cannot be given, since its model would have nothing
    /// to answer. The last one counts. A message of a history, such as [`Cx::last_message`](crate::Cx::last_message), keeps its images. A prompt,
    /// a reply with calls and an answer to a call cannot be handed on: the turn fails.
    ///
    #[doc = include_str!("docs/response_message.md")]
    pub fn with_message(mut self, message: impl Into<Message>) -> Self {
        let mut message = message.into();
        // It is for the provider that gave it, with the calls that are not here.
        message.additional.remove(REASONING);
        let luggage = self.travels.edit();
        match &message.kind {
            MessageKind::Human => luggage.message = Some(message),
            MessageKind::Ai { tool_calls } if tool_calls.is_empty() => {
                luggage.message = Some(message);
            }
            _ => {
                let reason = "`with_message` takes a message of the user, or one of the assistant without calls: a prompt is given by `with_prompt`, an answer to a call by `with_tool_feedback`";
                luggage.fault = Some(reason.to_owned());
            }
        }
        self
    }

    /// Sets the content type of what the destination answers in this turn.
    /// See [`with_state`](Response::with_state) for an example.
    pub fn with_content_type(mut self, content_type: impl Into<ContentType>) -> Self {
        self.travels.edit().content_type = Some(content_type.into());
        self
    }

    /// Says `text` to the user now, before the next model call: an event of the turn. It is kept out of
    /// the memory. Several calls say several texts.
    /// See [`with_state`](Response::with_state) for an example.
    pub fn saying(mut self, text: impl Into<String>) -> Self {
        self.travels.edit().saying.push(text.into());
        self
    }
}

impl ToolResponse {
    /// What the model is told about this call instead of `input validated`.
    /// See [`with_state`](Response::with_state) for an example.
    pub fn with_tool_feedback(mut self, feedback: impl Into<String>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }
}

impl From<String> for StepResponse {
    fn from(text: String) -> Self {
        Self::new(Action::Text(text))
    }
}

impl From<&str> for StepResponse {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

// By hand, since derives would ask the same of the marker.
impl<At> Clone for Response<At> {
    fn clone(&self) -> Self {
        Self {
            action: self.action.clone(),
            feedback: self.feedback.clone(),
            travels: self.travels.clone(),
            at: PhantomData,
        }
    }
}

impl<At> PartialEq for Response<At> {
    fn eq(&self, other: &Self) -> bool {
        self.action == other.action
            && self.feedback == other.feedback
            && self.travels == other.travels
    }
}

impl<At> fmt::Debug for Response<At> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("action", &self.action)
            .field("feedback", &self.feedback)
            .field("travels", &self.travels)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_chain_replaces_only_the_field_it_names() {
        let first: ToolResponse = go("A").with_prompt("p").with_state(json!({ "k": 1 }));
        let second = first.clone().with_prompt("q");
        assert_eq!(second.travels.prompt.as_deref(), Some("q"));
        assert_eq!(second.travels.state, first.travels.state);
        assert_eq!(first.travels.prompt.as_deref(), Some("p"));
    }

    #[test]
    fn a_state_that_is_no_object_is_kept_as_a_fault() {
        let response: ToolResponse = go("A").with_state(json!([1]));
        assert_eq!(
            response.travels.fault.as_deref(),
            Some("`with_state` takes an object, not [1]")
        );
    }
}
