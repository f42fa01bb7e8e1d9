//! Steps: what a conversation is made of.

mod any;
mod entry;
mod logic;
mod terminate;

pub use any::AnyStep;
pub use entry::{ChatKind, EntryKind, IntoStepEntry, LogicKind, OnEntry, StepEntry, StepExt};
pub use logic::LogicStep;
pub use terminate::TerminateSessionStep;

use crate::{
    BoxError, BoxFuture, Channels, Cx, Limits, StepId, StepResponse, ToolDefinition,
    model::{Block, ModelError, ModelFailure, ModelOutput, ModelRef, ModelReply, Recovery},
    native::NativeTool,
    tool::{
        check::Shared,
        table::{Method, Reference, ToolTable},
    },
};
use serde_json::Value;
use std::{borrow::Cow, future::Future};

/// What a hook returns: any error fails the turn and names the step and the hook.
///
/// ```
/// use picoflow_core::HookResult;
///
/// fn age(text: &str) -> HookResult<u8> {
///     Ok(text.parse()?)
/// }
///
/// assert_eq!(age("20").unwrap(), 20);
/// assert!(age("old").is_err());
/// ```
pub type HookResult<T = ()> = Result<T, BoxError>;

/// A step of a flow: a prompt, tools, and hooks.
///
/// Put `#[tools]` on the `impl` block: it fills in [`ID`](Step::ID) with the type's name and
/// [`TABLE`](Step::TABLE) with the block's tools. A step without tools may be a plain `impl Step` that writes
/// its own `ID`.
///
/// A step is a value that is built once and shared by all sessions: its fields are services, and what belongs to
/// a session is kept in [`Cx`].
///
/// Every hook that a step leaves out is answered by its [`base`](Step::base); without a base, by the default
/// that the hook's text gives. The base runs with the derived step's `Cx`: state, memory and id are the derived
/// step's.
///
/// ```
/// use picoflow_core::{Cx, Prompt, Step, StepId};
///
/// struct AskColor;
///
/// impl Step for AskColor {
///     const ID: StepId = StepId::new("AskColor");
///
///     fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
///         "Ask for the favourite color.".into()
///     }
/// }
///
/// assert_eq!(AskColor::ID, "AskColor");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step",
    label = "not a step",
    note = "write `#[tools] impl Step for {Self} {{ .. }}`"
)]
pub trait Step: Send + Sync + Sized + 'static {
    /// The step's name in its flow and in stored sessions.
    const ID: StepId;

    /// The tools of the annotated block. Written by `#[tools]`.
    #[doc(hidden)]
    const TABLE: ToolTable = ToolTable::EMPTY;

    /// The methods of a block of the table, for the handlers of all of them ask that the type can be shared. Written
    /// by `#[tools]`.
    #[doc(hidden)]
    fn __methods(_block: usize) -> &'static [Method<Self>]
    where
        Self: Shared,
    {
        &[]
    }

    /// The step that this one builds on, usually a field. It answers every hook that this step leaves out, and
    /// its tools are exposed before this step's. Default: none.
    ///
    #[doc = include_str!("docs/step_base.md")]
    fn base(&self) -> Option<&dyn AnyStep> {
        None
    }

    /// What the model is told before the conversation, at each model call. Default: nothing. A transition's
    /// `with_prompt` replaces it until the step is left.
    ///
    #[doc = include_str!("docs/step_prompt.md")]
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        self.base().map_or_else(Prompt::none, |base| base.dyn_prompt(cx))
    }

    /// Names of tools that the step exposes without handling them by an attribute, in front of the annotated
    /// ones. Read once, when the engine is built. Default: none.
    ///
    #[doc = include_str!("docs/step_tools.md")]
    fn use_tools(&self) -> Vec<Cow<'static, str>> {
        self.base().map_or_else(Vec::new, AnyStep::dyn_use_tools)
    }

    /// Tools that are left out at this model call. A name that the step does not expose is a warning: of the build where a
    /// literal says it (`["refund"].into()`), else of the turn. Default: none.
    /// See [`use_tools`](Step::use_tools) for an example.
    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        self.base().map_or(Hidden::None, |base| base.dyn_hide_tools(cx))
    }

    /// Tools that are defined here apart from their handlers. Read once, when the engine is built. Default: none.
    /// See [`use_tools`](Step::use_tools) for an example.
    fn define_tools(&self) -> Vec<ToolDefinition> {
        self.base().map_or_else(Vec::new, AnyStep::dyn_define_tools)
    }

    /// Tools with handlers of their own, defined by this step and offered behind its annotated ones. What such a tool
    /// answers goes back to the model, and the step stays. Read once, when the engine is built. Default: none.
    /// See [`use_tools`](Step::use_tools) for an example.
    fn native_tools(&self) -> Vec<NativeTool> {
        self.base().map_or_else(Vec::new, AnyStep::dyn_native_tools)
    }

    /// The JSON schema that the model's reply must fit, at each model call. Then `on_response` gets
    /// [`ModelOutput::Structured`]. Default: none.
    /// See [`check_response`](Step::check_response) for an example.
    fn output_schema(&self, cx: &Cx<'_>) -> Option<Value> {
        self.base().and_then(|base| base.dyn_output_schema(cx))
    }

    /// The model of this model call, where the session decides which one. `None`: that of the step's entry
    /// ([`StepExt::model`]), else the flow's. It inherits their parameters if it is the same model, as an entry's does.
    /// Another model after a failure ([`Recovery::RetryWith`]) goes before it; summaries are the entry's model's. A model
    /// that no flow could be built with (without a name, with a credential among its parameters) fails the turn. Default:
    /// `None`.
    ///
    /// A step has two things of this name: `NameStep.model(ModelRef::new(..))` lists the step with a model, and
    /// `Step::model(&self.base, cx)` asks a base's hook.
    ///
    #[doc = include_str!("docs/step_model.md")]
    fn model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        self.base().and_then(|base| base.dyn_model(cx))
    }

    /// The step's limits, from those that it inherits. Read once, when the engine is built. Default: as inherited.
    ///
    #[doc = include_str!("docs/step_settings.md")]
    fn limits(&self, inherited: Limits) -> Limits {
        self.base().map_or(inherited, |base| base.dyn_limits(inherited))
    }

    /// A new session begins with this step; [`on_enter`](Step::on_enter) and [`on_crossing`](Step::on_crossing)
    /// follow. Default: nothing.
    ///
    #[doc = include_str!("docs/step_life.md")]
    fn on_start(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_start(cx).await,
                None => Ok(()),
            }
        }
    }

    /// A stored session goes on with this step. Default: nothing.
    /// See [`on_start`](Step::on_start) for an example.
    fn on_restore(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_restore(cx).await,
                None => Ok(()),
            }
        }
    }

    /// The step becomes current, or starts as a child. What the transition brings is not there yet, as in the reference
    /// product. Default: nothing.
    /// See [`on_start`](Step::on_start) for an example.
    fn on_enter(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_enter(cx).await,
                None => Ok(()),
            }
        }
    }

    /// The step is left, or ends as a child, however it ends. Default: nothing.
    /// See [`on_start`](Step::on_start) for an example.
    fn on_exit(&self, cx: &mut Cx<'_>) -> impl Future<Output = HookResult> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_exit(cx).await,
                None => Ok(()),
            }
        }
    }

    /// The first model call after the cursor moved here from `prior` is due; there is no `prior` when a session
    /// begins. What is returned is added to the memory as the user's message. `message` is the user's text if no step
    /// with a model took it yet, as when a session begins; a transition forwards a text by `with_message`. Default:
    /// `message`; without one `Start`, unless the memory already ends with something to answer. See
    /// [`on_start`](Step::on_start) for an example.
    fn on_crossing(
        &self,
        cx: &mut Cx<'_>,
        message: Option<String>,
        prior: Option<StepId>,
    ) -> impl Future<Output = HookResult<Option<String>>> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_crossing(cx, message, prior).await,
                None if message.is_some() => Ok(message),
                None => Ok(match cx.memory().last() {
                    Some(last) if !last.is_ai() => None,
                    _ => Some("Start".to_owned()),
                }),
            }
        }
    }

    /// Whether to take a reply, before its tools run. On [`Verdict::Retry`] the model is asked again and told the
    /// reason, within the attempts of [`Limits`]. It must not have side effects. Default: take it.
    ///
    #[doc = include_str!("docs/step_replies.md")]
    fn check_response(&self, cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        self.base().map_or(Verdict::Accept, |base| base.dyn_check_response(cx, reply))
    }

    /// Whether to ask again after an error, while attempts are left. `None`: the flow decides, and without it the kind
    /// of the error ([`ModelError::is_transient`]). It changes neither the number of attempts nor the wait. A refusal
    /// of the provider ([`on_model_blocked`](Step::on_model_blocked)) is never tried again. Default: `None`.
    ///
    #[doc = include_str!("docs/step_failures.md")]
    fn should_retry(&self, cx: &Cx<'_>, error: &ModelError) -> Option<bool> {
        self.base().and_then(|base| base.dyn_should_retry(cx, error))
    }

    /// The model gave no reply, after all attempts: an answer in its place, a transition, or another model. The flow's
    /// hook of the same name is asked after this one. Tools that have run do not run again. Default: nothing, and the
    /// turn fails.
    /// See [`should_retry`](Step::should_retry) for an example.
    fn on_model_error(
        &self,
        cx: &mut Cx<'_>,
        failure: &ModelFailure,
    ) -> impl Future<Output = HookResult<Recovery>> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_model_error(cx, failure).await,
                None => Ok(Recovery::Pass),
            }
        }
    }

    /// The provider refused to answer: a text or a transition in place of the reply. The flow's hook of the same name
    /// is asked after this one. Default: nothing, and the turn fails with
    /// [`TurnError::Blocked`](crate::TurnError::Blocked).
    /// See [`should_retry`](Step::should_retry) for an example.
    fn on_model_blocked(
        &self,
        cx: &mut Cx<'_>,
        block: &Block,
    ) -> impl Future<Output = HookResult<Option<StepResponse>>> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_model_blocked(cx, block).await,
                None => Ok(None),
            }
        }
    }

    /// The model answered without a tool call. A text ends the turn with that text; a transition goes on. Default:
    /// the reply itself, a structured one as JSON text.
    /// See [`check_response`](Step::check_response) for an example.
    fn on_response(
        &self,
        cx: &mut Cx<'_>,
        output: ModelOutput,
    ) -> impl Future<Output = HookResult<StepResponse>> + Send {
        async {
            match self.base() {
                Some(base) => base.dyn_on_response(cx, output).await,
                None => Ok(output.into_text().into()),
            }
        }
    }

    /// Whether a turn that ends on this step reports the conversation as completed. It does not complete the
    /// session by itself. Default: whether the session is completed.
    /// See [`limits`](Step::limits) for an example.
    fn is_end(&self, cx: &Cx<'_>) -> bool {
        self.base().map_or_else(|| cx.is_completed(), |base| base.dyn_is_end(cx))
    }

    /// How the values that several children of `run_steps` give one field of this step's state by
    /// [`Cx::contribute`](crate::Cx::contribute) go together. Read once, when the engine is built. Default: no field.
    /// See [`Channel`](crate::Channel) for an example.
    fn state_channels(&self) -> Channels {
        self.base().map_or_else(Channels::new, AnyStep::dyn_state_channels)
    }

    /// Whether `run_steps` may start this step with these parameters. Default: always.
    /// See [`limits`](Step::limits) for an example.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check_params(&self, params: &Value) -> HookResult {
        self.base().map_or(Ok(()), |base| base.dyn_check_params(params))
    }

    #[doc(hidden)]
    fn __run_logic<'a>(
        &'a self,
        _cx: &'a mut Cx<'_>,
    ) -> Option<BoxFuture<'a, HookResult<StepResponse>>> {
        None
    }

    #[doc(hidden)]
    fn __type_path() -> &'static str {
        std::any::type_name::<Self>()
    }

    #[doc(hidden)]
    fn __references() -> Vec<Reference> {
        Vec::new()
    }
}

/// What a step tells the model before the conversation.
///
/// ```
/// use picoflow_core::Prompt;
///
/// assert_eq!(Prompt::from("Ask.").as_str(), Some("Ask."));
/// assert_eq!(Prompt::none().as_str(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt(Option<Cow<'static, str>>);

impl Prompt {
    /// No prompt.
    ///
    /// ```
    /// assert_eq!(picoflow_core::Prompt::none(), picoflow_core::Prompt::default());
    /// ```
    pub const fn none() -> Self {
        Self(None)
    }

    /// The text, if there is one.
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl From<&'static str> for Prompt {
    fn from(text: &'static str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self(Some(Cow::Owned(text)))
    }
}

/// Tools that a step leaves out.
///
/// ```
/// use picoflow_core::Hidden;
///
/// assert_eq!(Hidden::default(), Hidden::None);
/// assert_eq!(Hidden::from(["refund"]), Hidden::Names(vec!["refund".into()]));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// These.
    Names(Vec<Cow<'static, str>>),
}

impl<const N: usize> From<[&'static str; N]> for Hidden {
    fn from(names: [&'static str; N]) -> Self {
        Self::Names(names.map(Cow::Borrowed).into())
    }
}

impl Hidden {
    pub(crate) fn hides(&self, tool: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Names(names) => names.iter().any(|name| name == tool),
        }
    }
}

/// Whether a reply is taken.
///
/// ```
/// use picoflow_core::{ModelReply, Verdict};
///
/// fn short(reply: &ModelReply) -> Verdict {
///     if reply.text.len() > 200 {
///         return Verdict::Retry("the answer has more than 200 bytes".to_owned());
///     }
///     Verdict::Accept
/// }
///
/// assert_eq!(short(&ModelReply::text("Yes.")), Verdict::Accept);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Accept,
    /// It is not, and the model is asked again and told why.
    Retry(String),
}
